"""Where rows come from: files of lines, Parquet files, datasets, any iterable; cut into chunks.

Begin with `chunks`. `parquet` also writes results as Parquet. Imports `bulk.rows` only.
"""
