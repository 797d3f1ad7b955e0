"""Measures how often a text that only describes or shows a format is read as a call that runs.

"Write `[f(a=1)]` to call it." shows a call, but must not run one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.comparison.figures import share
from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.carried import Wire


def _markers(wire: Wire) -> str:
    """Returns prose with the text before the first and after the last value of a message."""
    places = [place for place, is_content in enumerate(wire.content) if is_content]
    if not places:
        # Where no value stands in the message, there is nothing between an opener and a closer.
        return f"A message begins with {wire.text[:8]} in this format."
    opener, closer = wire.text[: places[0]], wire.text[places[-1] + 1 :]
    return f"A call opens with {opener.strip()} and closes with {closer.strip()} in this format."


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.split("\n"))


KINDS: Final[dict[str, Callable[[Wire], str]]] = {
    "markers in prose": _markers,
    "inline code": lambda wire: f"To call it, write `{wire.text}` and wait.",
    "block of code": lambda wire: f"An example:\n\n```text\n# so\n{wire.text}\n```\n\nThat is all.",
    "string in a program": lambda wire: (
        f"```python\nEXAMPLE = {json.dumps(wire.text, ensure_ascii=False)}\n```\n"
    ),
    "comment of a program": lambda wire: f"```python\n{_indented(wire.text, '# ')}\nrun()\n```\n",
    "quotation": lambda wire: f"The log says:\n\n{_indented(wire.text, '> ')}\n\nIt failed.",
}
"""Texts that show a message and do not make its calls."""
_MESSAGES: Final = 60


def confusion(form: Format, wires: Sequence[Wire]) -> dict[str, Any]:
    """Returns of each kind of text, and of all, the share from which a call runs."""
    # Evenly from all shapes.
    chosen = wires[:: max(1, len(wires) // _MESSAGES)][:_MESSAGES]
    ran: dict[str, list[int]] = {
        kind: [_runs(form, make(wire), wire) for wire in chosen] for kind, make in KINDS.items()
    }
    return {
        "kinds": {kind: share((each, 1) for each in found) for kind, found in ran.items()},
        "ran": share((sum(each), len(each)) for each in zip(*ran.values(), strict=True)),
    }


def _runs(form: Format, text: str, wire: Wire) -> int:
    # One call that runs is enough, since the text means none.
    result = parse(text, format=form, tools=wire.message.specs)
    return int(any(call.executable for call in result.calls))
