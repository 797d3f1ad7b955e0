"""Results of tools as wire text, by the rule `results` of a grammar, and read back by it.

What a tool said is foreign text: `markup` finds in it what a model would take for markup and breaks it.
Begin with `render_results`.
"""
