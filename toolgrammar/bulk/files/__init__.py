"""Cuts the input of a run into chunks: files of lines, Parquet files, datasets, any iterable.

Begin with `chunks`. `parquet` also writes results as Parquet. Imports `bulk.rows` only.
"""
