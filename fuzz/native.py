"""Native calls whose arguments are damaged, and which the server cuts.

Example: of `{"city": "Oslo", "days": 3}` it makes `{"city": "Oslo"} "da`, in one piece or in many.
The message and the stream of it are read alike, and what runs are the arguments that were meant.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fuzz.api_messages import Block, damaged, of_openai, told
from fuzz.mixed import examples
from toolgrammar import parse

if TYPE_CHECKING:
    import random

_CUT: Final = "length"
"""Why the server stopped."""


def broken(format_id: str, draw: random.Random) -> tuple[str, str]:
    """Returns damaged arguments of an example's call, and what is wrong with what was read of them.

    The arguments are empty where the example has none.
    """
    sample = draw.choice(examples(format_id))
    calls = parse(sample.text, format_id, tools=sample.tools, prefix=sample.prefix).calls
    meant = [call for call in calls if call.executable and call.arguments]
    if not meant:
        return "", ""
    call = draw.choice(meant)
    text = damaged(json.dumps(call.arguments, ensure_ascii=draw.random() < 0.5), draw)
    tools = draw.choice((None, sample.tools))
    how: dict[str, Any] = {"format": None, "tools": tools}
    whole, streamed = of_openai([Block("tool_use", text, call.name)], _CUT, how, draw)
    if told(whole) != told(streamed):
        return text, f"read {told(whole)} whole, {told(streamed)} in pieces"
    for found in whole.calls:
        is_meant = found.arguments == call.arguments or _is_json_of(text, found.arguments)
        if found.executable and not is_meant:
            return text, f"runs {found.name} {found.arguments}"
    return text, ""


def _is_json_of(text: str, arguments: dict[str, Any]) -> bool:
    """Whether a text is the JSON of these arguments: the damage stands in a string, and is read."""
    try:
        return bool(json.loads(text) == arguments)
    except ValueError:
        return False
