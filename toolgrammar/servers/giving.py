"""Says which calls a server gives to its clients, by a word in its environment.

`TOOLGRAMMAR_CALLS=hold vllm serve …` gives a call once it is known that it may run. Servers have no
place for the options of a plugin, hence the environment.
"""

from __future__ import annotations

import os
from typing import Final, Literal, TypeAlias, get_args

Giving: TypeAlias = Literal["stream", "hold", "all"]
"""`stream`: a call is given while it is written; the arguments of one that may not run stay without
their end, so that no client can read them as JSON. `hold`: a call is given when it has ended and
may run; any other stays text. `all`: every call is given, whatever is wrong with it."""

VARIABLE: Final = "TOOLGRAMMAR_CALLS"
"""The environment variable that holds the word."""


def giving() -> Giving:
    """Returns how calls of streams are given: `stream` where the environment does not say.

    Raises:
        ValueError: the environment names something else.
    """
    named = os.environ.get(VARIABLE, "stream")
    for word in get_args(Giving):
        if named == word:
            return word  # type: ignore[no-any-return]  # `get_args` knows no types
    raise ValueError(f"{VARIABLE} must be one of {', '.join(get_args(Giving))}; got {named!r:.80}")
