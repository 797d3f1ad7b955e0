"""Writes results of tools as wire text, by the rule `results` of a grammar, and reads them back.

The result of a tool is untrusted text: `markup` breaks what a model would read as markup.
Begin with `render_results`.
"""
