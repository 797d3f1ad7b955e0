"""A run over many chunks: processes, what is kept so that it can be resumed, and what it reports.

Begin with `pool`; `journal` keeps the finished chunks, `spill_files` hands lines from process to
process, `progress` and `reports` say how far it came. Imports `bulk.rows` only.
"""
