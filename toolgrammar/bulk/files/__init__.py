"""Cuts the input of a run into chunks: files of lines, Parquet files, datasets, any iterable.

In: paths, a dataset, or any iterable of rows. Out: chunks of rows, which processes can share. Begin
with `chunks`. `parquet` also writes results as Parquet. Imports `bulk.rows` only.
"""
