"""Reads messages: a whole text (`parse`), chunks that are pushed (`Parser`), or a stream of chunks.

In: text, a format and the tools. Out: a `ParseResult`, or events and then a `ParseResult`. Begin with
`parser`; `whole` is the shortcut for a whole text, `streams` reads iterables, `detection` finds the
format. The reading itself is in `core`. May import `catalogue` and everything below it.
"""
