"""Walks the rules of a grammar to write a message: the inverse of the driver.

In: the tables of a grammar and the calls of a message. Out: the text that its rules read as those
calls: for `search(q="fjord")` the opener, the JSON object and the closer.

Begin with `walk`; `needs` holds what is still to be written, `manner` says which alternative is taken,
`terminals`, `payloads` and `raw_texts` write the leaves.
"""
