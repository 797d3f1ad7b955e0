"""Finds formats by name, and describes what each can do.

In: an id, an alias or the path of a grammar file. Out: a `Format`, with its header, page, tables and
prompt. Begin with `registry` (all formats) and `format` (one of them); `page` reads the Markdown page
beside a grammar, `several` joins formats that are read at once. May import `recovery`, `writing` and
everything below them.
"""
