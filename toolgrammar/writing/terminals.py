"""Writes the terminals of a grammar: what each one looks like that carries a part of a message."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from toolgrammar.core.fences import fence_round
from toolgrammar.core.marks import mark_round
from toolgrammar.core.partial import without_look_around
from toolgrammar.core.roles import COUNT_TERMINAL, RAW_LIKE
from toolgrammar.core.sample import sample
from toolgrammar.core.trim import INDENT
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.schemas import type_of
from toolgrammar.writing.payloads import as_json, payload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.tables import Terminal
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.manner import Manner
    from toolgrammar.writing.needs import Needs
    from toolgrammar.writing.raw_texts import RawTexts

_INDENTATION = "    "
"""What lines of a text are indented by."""
_FREE_EDGES = frozenset({"strip", "quoted"})


class Terminals:
    """Writes terminals; `index` is the number of the call that is being written."""

    def __init__(self, raw: RawTexts, manner: Manner) -> None:
        self.raw = raw
        self.trim = raw.header.trim
        self.manner = manner
        self.index = 0

    def text(self, terminal: Terminal, needs: Needs, role: str, before: str) -> str | None:
        """Gives the text of a terminal, or None where it can't be written here.

        Args:
            terminal: what to write.
            needs: what is left to be written; takes off what is written now.
            role: the role of the terminal; empty for markup.
            before: what stands right before it in its rule.
        """
        if terminal.name == "SKIPPED" or (terminal.constants and not needs.stand_for(terminal)):
            return None
        if terminal.name == "TEXT" or role in ("reasoning", "content"):
            return self._prose(needs, role, before)
        if not role:
            return terminal.text if terminal.kind == "literal" else self._marker(terminal, needs)
        if role == "mode":
            return _fitting(terminal, ("parallel",))
        call = needs.call
        if call is None:
            return None
        if role == "name" and "name" in needs.parts:
            needs.parts.discard("name")
            return self._named(terminal, call, self.raw.text(call.name, "name"))
        if role == "id" and call.id is None and self.manner.makes_ids and not terminal.groups:
            return self._named(terminal, call, f"call_{self.index}")
        if role == "id" and ("id" in needs.parts or terminal.groups):
            needs.parts.discard("id")
            if any(group_role == "name" for _, group_role in terminal.groups):
                needs.parts.discard("name")
            return self._named(terminal, call, call.id)
        if role == "depends_on" and "depends_on" in needs.parts:
            needs.parts.discard("depends_on")
            ids = ",".join(call.depends_on)
            return _fitting(terminal, (ids, as_json(ids)))
        return self._argument(terminal, needs, call, role)

    def names_type(self, terminal: Terminal, needs: Needs) -> bool:
        """Tells whether a literal says of which type the value is that stands next to it."""
        if needs.key is None or terminal.kind != "literal":
            return False
        return type_of(needs.key[1]) in re.findall(r"\w+", terminal.text)

    def _prose(self, needs: Needs, role: str, before: str) -> str | None:
        prose = needs.prose
        if prose is None or (not role and prose.kind != "text"):
            return None
        needs.prose = None
        if self.trim.get(role) in _FREE_EDGES:
            gap = "" if before[-1:].isspace() else " "
            return f"{gap}{prose.text.strip()}\n"
        return prose.text

    def _argument(self, terminal: Terminal, needs: Needs, call: ToolCall, role: str) -> str | None:
        if role == "arguments" and "arguments" in needs.parts and "input" not in needs.parts:
            needs.parts.discard("arguments")
            if needs.whole:
                return None
            arguments, needs.arguments = dict(needs.arguments), []
            return payload(terminal, arguments)
        if role == "words" and needs.arguments:
            values, needs.arguments = [value for _, value in needs.arguments], []
            line = " ".join(v if isinstance(v, str) else as_json(v) for v in values)
            return _fitting(terminal, (self.raw.text(line, "words"), f" {line}"))
        if role == "key" and needs.arguments:
            needs.key, needs.whole = needs.arguments.pop(0), True
            needs.last_key = needs.key[0]
            return _fitting(
                terminal, (self.raw.text(needs.last_key, "key"), as_json(needs.last_key))
            )
        if role == "value" and needs.key is not None:
            key, value = needs.key
            needs.key = None
            return self._value(terminal, key, value)
        if role in ("input", "body") and "input" in needs.parts:
            return self._input(terminal, needs, call, role)
        return None

    def _value(self, terminal: Terminal, key: str, value: Any) -> str | None:
        raw_text = terminal.name in RAW_LIKE and isinstance(value, str)
        if terminal.kind == "payload" and terminal.name != "RAW" and not raw_text:
            return payload(terminal, value)
        if isinstance(value, str):
            text = self.raw.value(value) if terminal.name != "RAW_STRING" else value
            if self.trim.get("value") == INDENT:
                # Lines of a text stand below each other; any other value is one line.
                if terminal.name == "RAW_STRING":
                    text = "\n".join(line and f"{_INDENTATION}{line}" for line in text.split("\n"))
                elif "\n" in text:
                    return None
            return _fitting(terminal, (self._padded(text, "value", key),))
        # Where the wire has a way of its own to write it, raw text is left to strings.
        return _fitting(terminal, (as_json(value),)) if self.manner.raw_carries_all else None

    def _padded(self, text: str, role: str, key: str = "") -> str:
        """Puts line ends round a text that begins or ends with one, where one is taken off."""
        at_edge = text.startswith("\n") or text.endswith("\n")
        mode = self.trim.get(key) or self.trim.get(role)
        pads = self.manner.pads and mode == "one-newline"
        return f"\n{text}\n" if at_edge and pads else text

    def _input(self, terminal: Terminal, needs: Needs, call: ToolCall, role: str) -> str | None:
        text = call.input
        if text is None:
            values = list(call.arguments.values())
            if len(values) > 1 or not all(isinstance(value, str) for value in values):
                return None
            text = values[0] if values else ""
        needs.inputs -= 1
        if terminal.name in RAW_LIKE and needs.inputs > 0 and "\n" in text:
            # What stands behind is a part of the text too: its last line.
            text, _, last = text.rpartition("\n")
            needs.call = call.__class__(call.name, {}, input=last)
            return self._padded(self.raw.text(text, role), role)
        needs.parts.discard("input")
        if terminal.name == "JSON_TEXT":
            return as_json(text)
        if role == "body" or terminal.name in RAW_LIKE:
            return self._padded(self.raw.text(text, role), role)
        # A head on the opener's line, and the body below it.
        head, _, rest = text.partition("\n")
        if rest:
            needs.parts.add("input")
            needs.call = call.__class__(call.name, {}, input=rest)
        return _fitting(terminal, (head,))

    def _named(self, terminal: Terminal, call: ToolCall, value: str | None) -> str | None:
        if terminal.kind == "tool":
            return value
        if terminal.groups:
            if value is not None and value != call.name:
                return _fitting(terminal, (value,))
            groups = {group: call.name for group, role in terminal.groups if role == "name"}
            return sample(terminal.pattern, groups, self.index)
        return _fitting(terminal, () if value is None else (value, as_json(value)))

    def _marker(self, terminal: Terminal, needs: Needs) -> str | None:
        if terminal.kind == "same":
            assert needs.call is not None
            if terminal.name == "SAME_FENCE":
                return fence_round(needs.call.input or "")
            if terminal.name == "SAME_MARK":
                return mark_round(_text_of(needs))
            return needs.call.name if terminal.name == "SAME_NAME" else needs.last_key
        if terminal.kind == "payload":
            return None
        if terminal.is_fence and needs.call is not None:
            return fence_round(needs.call.input or "")
        if terminal.is_mark:
            return mark_round(_text_of(needs))
        if terminal.name == COUNT_TERMINAL:
            return str(self.index + 1)
        if terminal.groups and needs.call is not None:
            return self._grouped(terminal, needs, needs.call)
        if needs.key is not None and (text := _fitting(terminal, (type_of(needs.key[1]),))):
            return text
        return sample(terminal.pattern)

    def _grouped(self, terminal: Terminal, needs: Needs, call: ToolCall) -> str | None:
        """Writes a marker that holds the name of the tool, or a value, in a named group."""
        named = {group: call.name for group, role in terminal.groups if role == "name"}
        if named and "name" not in needs.parts:
            return None
        values = [group for group, role in terminal.groups if role == "value" and needs.key]
        if needs.key is not None:
            value = needs.key[1]
            named |= dict.fromkeys(values, value if isinstance(value, str) else as_json(value))
        if not named:
            return None
        text = sample(terminal.pattern, named, self.index)
        match = compile_pattern(_bare(terminal.pattern)).match(text) if text else None
        if text is None or match is None or match.end() != len(text):
            return None
        if any(role == "name" for _, role in terminal.groups):
            needs.parts.discard("name")
        if values:
            needs.key = None
        return text


def _fitting(terminal: Terminal, texts: Sequence[str]) -> str | None:
    """Gives the first of the texts that a terminal reads."""
    if terminal.kind in ("payload", "tool"):
        return texts[0] if texts else None
    if terminal.kind == "literal":
        return next((text for text in texts if text == terminal.text), None)
    for text in texts:
        if compile_pattern(_bare(terminal.pattern)).fullmatch(text):
            return text
        # A look-ahead inside of a terminal may see what the grammar writes next, unknown here.
        for behind in ("", "\n", "]"):
            match = compile_pattern(terminal.pattern).match(text + behind)
            if match and match.end() == len(text):
                return text
    return None


@cache
def _bare(pattern: str) -> str:
    return without_look_around(pattern)


def _text_of(needs: Needs) -> str:
    """Gives all text that the call carries: no line of it may be a mark."""
    assert needs.call is not None
    texts = [text for text in needs.call.arguments.values() if isinstance(text, str)]
    return "\n".join([*texts, needs.call.input or ""])
