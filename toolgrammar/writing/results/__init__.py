"""Writes results of tools as wire text, by the rule `results` of a grammar, and reads them back.

The result of a tool is untrusted text: `markup` finds text that a model would read as markup and breaks it.
Begin with `render_results`.
"""
