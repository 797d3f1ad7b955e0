"""The command `bench`: formats compared, and the suites of a checkout.

In: options, and a caller's files. Out: tables, sentences, pages and plots of a comparison.

Begin with `command`; `material` reads a caller's files, `pages` and `drawings` show a comparison, and
`report` and `plots` write what any suite measured. What is measured is in `toolgrammar.comparison`.
"""
