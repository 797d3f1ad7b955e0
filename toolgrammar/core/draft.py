"""Holds what is known of a call that is still being read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.call_words import arguments_of
from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.listing import START
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.events import ArgumentsDelta, Event
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.pieces import Pieces
    from toolgrammar.values.calls import Status
    from toolgrammar.values.tools import ToolSpec

_BETWEEN_IDS = late(r"[\s,]+")


def decoded_token(text: str) -> str:
    """Gives the value of a token: of a JSON string its content, else the text as it stands."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        inner = text[1:-1]
        if "\\" not in inner and '"' not in inner:
            return inner
        try:
            value = json.loads(text, strict=False)
        except ValueError:
            return text[1:-1]
        return value if isinstance(value, str) else text
    return text


class Draft:
    """One open call: its roles so far, and the events that wait until it is certain."""

    __slots__ = (
        "arguments",
        "arguments_end",
        "arguments_start",
        "beside",
        "delimited",
        "depends_on",
        "diagnostics",
        "doubts",
        "dropped",
        "error",
        "events",
        "has_payload",
        "held",
        "id",
        "inputs",
        "is_markdown",
        "key",
        "may_go_on",
        "members",
        "name",
        "payload",
        "payload_start",
        "payload_streams",
        "refused",
        "repaired",
        "schema",
        "separator",
        "start",
        "started",
        "streams",
        "text_key",
        "truncated",
        "unclosed",
        "unclosed_to",
        "unescaped",
        "wire_role",
        "words",
        "written_key",
        "written_name",
    )

    def __init__(self, start: int) -> None:
        self.start = start
        self.name: str | None = None
        self.written_name = ""
        self.id: str | None = None
        self.depends_on: list[str] | None = None
        self.arguments: dict[str, Any] = {}
        self.arguments_start = -1
        self.arguments_end = -1
        self.inputs: Any = None
        self.separator = ""
        self.is_markdown = False
        """Whether underscores of its name stand behind backslashes, as in Markdown."""
        self.key = ""
        self.written_key = ""
        self.wire_role = ""
        self.schema: Any = None
        self.streams = True
        self.dropped = False
        self.members = 0
        self.payload: Pieces | None = None
        self.payload_start = 0
        self.payload_streams: bool | None = None
        self.has_payload = False
        self.started = False
        self.delimited = False
        self.events: list[Event] = []
        self.held: list[Event] | None = None
        """The events of an argument that may wrap all arguments; None where none does."""
        self.error: str | None = None
        self.refused: str | None = None
        """Why an argument could not be read behind others that were given out."""
        self.repaired = False
        self.truncated = False
        self.doubts: list[str] = []
        self.beside: list[str] = []
        """Keys behind the arguments that mean nothing to the format."""
        self.words: str | None = None
        """Arguments without names, for a tool that takes some."""
        self.text_key: str | None = None
        """The argument that the text of a free-text call is."""
        self.unescaped = False
        """Whether it has a payload without escapes."""
        self.may_go_on = False
        """Whether such a payload may go on behind what was taken for the call's end."""
        self.unclosed = False
        """Whether it lacks the closer without which it is text."""
        self.unclosed_to = -1
        """Offset up to which the openers of arguments begin them, for nothing closes them."""
        self.diagnostics = START
        """How far the diagnostics had come before it."""

    def member(self) -> str:
        """Gives the JSON text that stands before the next value of an object."""
        self.members += 1
        before = "{" if self.members == 1 else ", "
        return f"{before}{as_json(self.key)}: "

    def depend_on(self, text: str) -> None:
        """Reads a list of ids; a blank one counts as absent."""
        ids = [part for part in _BETWEEN_IDS.split(text) if part]
        if ids:
            self.depends_on = [*(self.depends_on or []), *ids]

    def schema_of(self, spec: ToolSpec | None) -> tuple[Any, bool]:
        """Gives the schema of the current key, and whether its value is text whatever it says."""
        schema = spec.properties.get(self.key) if spec is not None else None
        return schema, is_text_only(schema)

    def typed(self, text: str) -> tuple[Any, bool]:
        """Gives the value of a text by the current schema, and whether it fits."""
        return type_text(text, self.schema)

    @property
    def given_out(self) -> bool:
        """Whether any argument was given out."""
        return self.members > 0 or bool(self.arguments)

    def place_text(self, spec: ToolSpec | None) -> bool:
        """Makes the text of a free-text call an argument; false where the tool has none for it."""
        if self.inputs is None or self.has_payload:
            return True
        text = "".join(self.inputs)
        if spec is None:
            return True
        if self.words is not None and not self.members:
            self.arguments, placed = arguments_of(self.words, text, spec)
            return placed
        if not text.strip():
            return True
        lone = spec.lone_text_parameter
        if lone is None or lone in self.arguments:
            # Where there are no arguments, nothing takes its default in place of the text.
            return not (spec.properties and spec.drops_text(self.arguments))
        self.arguments[lone] = text
        self.text_key = lone
        return True

    def closing(self, index: int) -> Iterator[Event]:
        """Gives the events that end the arguments."""
        if self.members:
            if self.text_key is not None:
                text = self.arguments[self.text_key]
                yield ArgumentsDelta(index, f", {as_json(self.text_key)}: {as_json(text)}")
            yield ArgumentsDelta(index, "}")
        elif not self.has_payload:
            if self.inputs is None:
                self.arguments = {}
            yield ArgumentsDelta(index, json.dumps(self.arguments, ensure_ascii=False))

    def status(self, *, cut: bool) -> Status:
        """Judges the call."""
        if self.error is not None:
            return "unreadable"
        if cut:
            return "truncated"
        return "repaired" if self.repaired else "complete"
