"""Formats as users see them: the mapping of all formats, and what a format can do.

Begin with `registry` (which formats there are) and `format` (one of them); `page` reads the Markdown
page beside a grammar, `several` holds formats that are tried together.
"""
