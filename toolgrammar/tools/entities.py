"""Decodes the entities of HTML in a text: `&lt;b&gt; &#38; c` is `<b> & c`.

The five of XML in the payloads of formats whose wire has them are decoded as they stream, by
`core/payloads/raw/entities.py`.
"""

from __future__ import annotations

from toolgrammar.values.patterns import late

_ZEROS = late("(?<=&#)0+(?=[0-9])")
_NO_CHARACTER = late("&#[0-9]{8,}+;?")
"""A number beyond the last character, of seven digits."""


def without_entities(text: str) -> str:
    """Returns a text with its entities decoded; a number of no character is U+FFFD, as in HTML."""
    import html  # few messages need it, and it brings a table of 2,000 names

    # `html` reads the digits with `int`, which raises on more than 4,300 of them.
    if "&#" in text:
        text = _NO_CHARACTER.sub("\ufffd", _ZEROS.sub("", text))
    return html.unescape(text)
