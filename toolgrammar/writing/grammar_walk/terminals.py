"""Writes the terminals of a grammar, with the parts of a message that they contain."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from toolgrammar.grammar.roles import COUNT_TERMINAL, RAW_LIKE
from toolgrammar.patterns.fences import fence_round
from toolgrammar.patterns.heredocs import mark_round
from toolgrammar.patterns.partial import without_look_around
from toolgrammar.patterns.sample import sample
from toolgrammar.patterns.trim import INDENT
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.schemas import type_of
from toolgrammar.writing.grammar_walk.payloads import as_json, payload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.grammar_walk.manner import Manner
    from toolgrammar.writing.grammar_walk.needs import Needs
    from toolgrammar.writing.grammar_walk.raw_texts import RawTexts

_INDENTATION = "    "
"""The indentation of lines of a text."""
_FREE_EDGES = frozenset({"strip", "quoted"})


class Terminals:
    """Writes terminals; `index` is the number of the call that is being written."""

    def __init__(self, raw: RawTexts, manner: Manner) -> None:
        self.raw = raw
        self.trim = raw.header.trim
        self.manner = manner
        self.index = 0

    def next_call(self) -> None:
        """Counts a call that was written."""
        self.index += 1

    def text(self, terminal: Terminal, needs: Needs, role: str, before: str) -> str | None:
        """Returns the text of a terminal, or None if it can't be written here.

        Args:
            terminal: what to write.
            needs: what is left to be written; takes off what is written now.
            role: the role of the terminal; empty for markup.
            before: what stands right before it in its rule.
        """
        # SKIPPED reads what a model should not have written: nothing ever has to stand there.
        if terminal.name == "SKIPPED" or (terminal.constants and not needs.stand_for(terminal)):
            return None
        if terminal.name == "TEXT" or role in ("reasoning", "content"):
            return self._prose(needs, role, before)
        if not role:
            return terminal.text if terminal.kind == "literal" else self._marker(terminal, needs)
        # How the calls of a group run is not part of a call: `parallel`, which sets no order, will
        # do.
        if role == "mode":
            return _fitting(terminal, ("parallel",))
        call = needs.call
        if call is None:
            return None
        if role == "name" and "name" in needs.parts:
            needs.parts.discard("name")
            return self._named(terminal, call, self.raw.text(call.name, "name"))
        if role == "id" and call.id is None and self.manner.makes_ids and not terminal.groups:
            return self._new_id(terminal)
        # An id that holds the name, as in `functions.search:0`, is written also where the call has
        # none.
        if role == "id" and ("id" in needs.parts or terminal.groups):
            needs.parts.discard("id")
            if terminal.holds_name:
                needs.parts.discard("name")
            return self._named(terminal, call, call.id)
        if role == "depends_on" and "depends_on" in needs.parts:
            needs.parts.discard("depends_on")
            ids = ",".join(call.depends_on)
            # Ids stand bare (`a,b`), or between quotes: whichever the terminal reads.
            return _fitting(terminal, (ids, as_json(ids)))
        return self._argument(terminal, needs, call, role)

    def names_type(self, terminal: Terminal, needs: Needs) -> bool:
        """Whether a literal gives the type of the value next to it."""
        if needs.key is None or terminal.kind != "literal":
            return False
        # `<number>5</number>`: the word in the tag is the type.
        return type_of(needs.key[1]) in re.findall(r"\w+", terminal.text)

    def _prose(self, needs: Needs, role: str, before: str) -> str | None:
        prose = needs.prose
        if prose is None or (not role and prose.kind != "text"):
            return None
        needs.take_prose()
        # White space at the edges is taken off in reading, so that the text may stand apart from
        # markup.
        if self.trim.get(role) in _FREE_EDGES:
            gap = "" if before[-1:].isspace() else " "
            return f"{gap}{prose.text.strip()}\n"
        return prose.text

    def _argument(self, terminal: Terminal, needs: Needs, call: ToolCall, role: str) -> str | None:
        if role == "arguments" and "arguments" in needs.parts and "input" not in needs.parts:
            needs.parts.discard("arguments")
            # Arguments were written one by one before: all at once, they would stand there twice.
            if needs.whole:
                return None
            return payload(terminal, dict(needs.take_arguments()))
        if role == "words" and needs.arguments:
            values = [value for _, value in needs.take_arguments()]
            line = " ".join(v if isinstance(v, str) else as_json(v) for v in values)
            # Words follow the name on its line (`move north 3`), after a blank that the terminal
            # may hold.
            return _fitting(terminal, (self.raw.text(line, "words"), f" {line}"))
        if role == "key" and needs.arguments:
            key = needs.take_key()
            return _fitting(terminal, (self.raw.text(key, "key"), as_json(key)))
        if role == "value" and needs.key is not None:
            key, value = needs.key
            needs.take_value()
            return self._value(terminal, key, value)
        if role in ("input", "body") and "input" in needs.parts:
            return self._input(terminal, needs, call, role)
        return None

    def _value(self, terminal: Terminal, key: str, value: Any) -> str | None:
        raw_text = terminal.name in RAW_LIKE and isinstance(value, str)
        # A payload such as JSON holds any value; strings in raw text are looked after below.
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
        if not self.manner.raw_carries_all:
            return None
        return _fitting(terminal, (self.raw.text(as_json(value), "value"),))

    def _padded(self, text: str, role: str, key: str = "") -> str:
        """Adds line ends around a text that begins or ends with one, if the reader strips one."""
        # The reader takes one line end off at each side, so one more is written there.
        at_edge = text.startswith("\n") or text.endswith("\n")
        mode = self.trim.get(key) or self.trim.get(role)
        pads = self.manner.pads and mode == "one-newline"
        return f"\n{text}\n" if at_edge and pads else text

    def _input(self, terminal: Terminal, needs: Needs, call: ToolCall, role: str) -> str | None:
        text = call.input
        if text is None:
            # `input` may be given as the lone argument: a free-text format carries it either way.
            values = list(call.arguments.values())
            if len(values) > 1 or not all(isinstance(value, str) for value in values):
                return None
            text = values[0] if values else ""
        more = needs.take_input() > 0
        if terminal.name in RAW_LIKE and more and "\n" in text:
            # What follows is a part of the text too: its last line.
            text, _, last = text.rpartition("\n")
            needs.leave_input(last)
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
            needs.leave_input(rest)
        return _fitting(terminal, (head,))

    def _new_id(self, terminal: Terminal) -> str | None:
        """Writes an id for a call that has none: a word or, where ids are numbers, its number."""
        made = f"call_{self.index}", str(self.index + 1)
        return _fitting(terminal, [*made, *map(as_json, made)])

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
            # A closer that repeats its opener: `</search>`, a fence of as many backticks, a mark.
            if terminal.name == "SAME_FENCE":
                return fence_round(needs.call.input or "")
            if terminal.name == "SAME_MARK":
                return mark_round(_text_of(needs))
            return needs.call.name if terminal.name == "SAME_NAME" else needs.last_key
        if terminal.kind == "payload":
            return None
        # A fence has to be longer than any run of backticks in the text that it holds.
        if terminal.is_fence and needs.call is not None:
            return fence_round(needs.call.input or "")
        if terminal.is_mark:
            return mark_round(_text_of(needs))
        # The number of a call, if the wire counts calls from 1.
        if terminal.name == COUNT_TERMINAL:
            return str(self.index + 1)
        if terminal.groups and needs.call is not None:
            return self._grouped(terminal, needs, needs.call)
        # A marker may be the name of a type: `<string>` before a string.
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
            # A marker without anything of this call in it is left to the other alternatives.
            return None
        text = sample(terminal.pattern, named, self.index)
        # The pattern may demand of the group what this text is not: then there is no way.
        match = compile_pattern(_bare(terminal.pattern)).match(text) if text else None
        if text is None or match is None or match.end() != len(text):
            return None
        if terminal.holds_name:
            needs.parts.discard("name")
        if values:
            needs.take_value()
        return text


def _fitting(terminal: Terminal, texts: Sequence[str]) -> str | None:
    """Returns the first of the texts that a terminal reads."""
    if terminal.kind in ("payload", "tool"):
        return texts[0] if texts else None
    if terminal.kind == "literal":
        return next((text for text in texts if text == terminal.text), None)
    for text in texts:
        # Without its look-around, a terminal can be judged by its own text.
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
    """Returns all text that the call carries: no line of it may be a mark."""
    assert needs.call is not None
    texts = [text for text in needs.call.arguments.values() if isinstance(text, str)]
    return "\n".join([*texts, needs.call.input or ""])
