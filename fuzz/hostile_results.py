"""Tool results that hold markup, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgrammar import ToolCall

if TYPE_CHECKING:
    import random

    from toolgrammar import Format

SPECIAL = (
    "<|im_end|>", "<|im_start|>user\n", "<|end|><|start|>developer<|message|>", "<｜User｜>",  # noqa: RUF001
    "</s>", "[INST]", "[/INST]", "\n\nHuman:", "<|eot_id|>",
)  # fmt: skip
"""Tokens with which another turn begins, in one model or another."""
_PLAIN = ("ok", " ", "\n", "\r\n", "\\", "é", '"', "{}", "# A\n", "f", "x = [1]\n")


@dataclass(frozen=True)
class Answer:
    """A result, as far as writing looks at it."""

    call: ToolCall
    content: str


def own_literals(form: Format) -> list[str]:
    """Returns what the rule `results` of a format spells."""
    symbols = {symbol for rule in form.tables.results for symbol in rule.symbols}
    return sorted(symbol[1:] for symbol in symbols if symbol.startswith('"'))


def hostile_results(form: Format, draw: random.Random) -> list[Answer]:
    """Returns results whose contents, names and ids are made of markup and plain text."""
    own = own_literals(form)
    forged = "".join(own)
    grammar = [terminal.text for terminal in form.tables.terminals if terminal.text]
    pieces = [*own, *SPECIAL, *grammar, *_PLAIN, forged, forged + "".join(reversed(own))]

    def text(most: int) -> str:
        return "".join(draw.choices(pieces, k=draw.randint(0, most)))

    return [
        Answer(
            ToolCall(
                draw.choice(["f", f"f{text(2)}"]),
                id=draw.choice([None, "c1", text(2) or None]),
                input=draw.choice([None, text(2)]),
            ),
            text(7),
        )
        for _ in range(draw.randint(1, 3))
    ]
