r"""Escapes characters inside a JSON string: `<` becomes `\u003c`."""

import json
from typing import Final

_ASCII: Final = 127


def as_unicode(character: str) -> str:
    """Returns the escape of a character, which a reader of JSON takes for the character."""
    # `json` escapes what is not ASCII; of ASCII, `<` needs its escape spelled out: `\u003c`.
    return json.dumps(character)[1:-1] if ord(character) > _ASCII else f"\\u{ord(character):04x}"
