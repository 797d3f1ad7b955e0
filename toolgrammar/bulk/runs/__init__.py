"""Runs many chunks: in several processes, with a journal for resuming, and with a report.

In: chunks, and the function that works on one. Out: the outputs of the chunks in order, and a
report. Begin with `pool`; `journal` records the finished chunks, `spill_files` sends lines from
process to process, `progress` and `reports` show how far it came. Imports `bulk.rows` only.
"""
