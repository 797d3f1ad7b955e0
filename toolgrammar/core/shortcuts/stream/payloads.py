"""Chooses the reader of a payload in a stream.

Example: `{"q": 1}` is read by `StreamJson`, `q='tea'` in `f(q='tea')` by `StreamScanned`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.scanners import call_scanner_for
from toolgrammar.core.shortcuts.stream.stream_json import StreamJson, StreamJsonValue
from toolgrammar.core.shortcuts.stream.stream_scanned import StreamScanned
from toolgrammar.core.shortcuts.whole.fused_tokens import SCANNED
from toolgrammar.grammar.roles import JSON_LIKE

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, Leave, PayloadReader
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage


def call_payload(
    step: Step, first: str, opening: Node, cursor: Cursor, message: StreamMessage, leave: Leave
) -> PayloadReader | None:
    """Returns the reader of arguments or of one argument; None if the driver has to read them.

    Args:
        step: the step of the payload.
        first: its first character.
        opening: the node in which calls open.
        cursor: the position in the stream.
        message: the message that gets the arguments.
        leave: the function that ends the payload.
    """
    kind = step.terminal.name
    # Arguments before the name are left to the driver, in which they wait for the name.
    if message.name is None:
        return None
    if step.role == "value":
        return StreamJsonValue(step, cursor, message, leave) if kind in JSON_LIKE else None
    if step.role != "arguments" or message.arguments is not None or message.doubtful:
        return None
    if kind in SCANNED:
        scanner = call_scanner_for(step.terminal, message.spec, MAX_DEPTH, step)
        if scanner is None:
            return None
        return StreamScanned(step, cursor, message, leave, scanner=scanner)
    # Only an object streams; arguments that may be something else are judged at their end.
    if kind in JSON_LIKE and step.raw_alternative is None and first == "{":
        return StreamJson(step, cursor, message, leave, opening=opening)
    return None
