"""The interfaces of the three older projects that this one grew from.

In: what their users pass. Out: what they got there, read and run by this package. Each module is
one project, and none knows another; their public paths are those of `toolgrammar.interop`, such as
`toolgrammar.interop.reploid`. They import whatever they need from below `interop`.
"""
