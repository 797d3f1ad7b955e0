"""Provides the interfaces of the three older projects that this one grew from.

In: the arguments of those interfaces. Out: their results, computed by this package. Each module is
one project, and does not import another; their public paths are in `toolgrammar.interop`, such as
`toolgrammar.interop.reploid`. They import whatever they need from below `interop`.
"""
