"""Determines which calls a server sends to its clients, by an environment variable.

Example: `TOOLGRAMMAR_CALLS=hold vllm serve …` sends a call once it is known that it may run.
Servers have no options for plugins, hence the environment.
"""

from __future__ import annotations

import os
from typing import Final, Literal, TypeAlias, get_args

Giving: TypeAlias = Literal["stream", "hold", "all"]
"""`stream`: a call is sent while it is written; the arguments of one that may not run never get
their end, so that no client can read them as JSON. `hold`: a call is sent when it has ended and
may run; any other stays text. `all`: every call is sent, even a broken one."""

VARIABLE: Final = "TOOLGRAMMAR_CALLS"
"""The name of the environment variable."""


def giving() -> Giving:
    """Returns how calls of streams are sent; `stream` by default.

    Raises:
        ValueError: the environment has another value.
    """
    named = os.environ.get(VARIABLE, "stream")
    for word in get_args(Giving):
        if named == word:
            return word  # type: ignore[no-any-return]  # `get_args` knows no types
    raise ValueError(f"{VARIABLE} must be one of {', '.join(get_args(Giving))}; got {named!r:.80}")
