"""Reads the rows of a run: finds their messages, parses them, and writes their results.

In: a row, `{"id": 7, "response": "<tool_call>…"}`. Out: a line of JSON, or the flat record of a table.

Begin with `chunk_work`, which takes a chunk of rows through all steps; `row_fields` finds the columns,
`parse_options` says how to parse, `result_lines` and `flat_result` write.
"""
