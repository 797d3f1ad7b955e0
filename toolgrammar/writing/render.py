"""Writes calls as a format's wire text, by walking the rules of its grammar.

Each rule is tried in the order of its alternatives; the first that can carry the whole call is
written. Literals come out as they stand in the grammar, with their white space. What was written
is parsed again: a value that does not come back is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.core import roles
from toolgrammar.core.build import Builder
from toolgrammar.core.driver import Driver
from toolgrammar.core.fences import fence_round
from toolgrammar.core.machine import Machine
from toolgrammar.core.partial import without_look_around
from toolgrammar.core.source import Source
from toolgrammar.core.tables import ANY_TOOL
from toolgrammar.values.errors import RenderError
from toolgrammar.values.tools import ToolSpec
from toolgrammar.writing.payloads import as_json, payload
from toolgrammar.writing.raw_texts import RawTexts
from toolgrammar.writing.sample import sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.core.header import Header
    from toolgrammar.core.tables import Production, Tables, Terminal
    from toolgrammar.values.calls import ToolCall


class Writable(Protocol):
    """A format, as far as writing needs it."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """What the grammar file says of itself."""


class _Needs:
    """What of a message has not been written yet."""

    __slots__ = ("arguments", "call", "calls", "inputs", "key", "last_key", "parts", "whole")

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.calls = list(calls)
        self.call: ToolCall | None = None
        self.parts: set[str] = set()
        self.arguments: list[tuple[str, Any]] = []
        self.key: tuple[str, Any] | None = None
        self.whole = False
        self.last_key = ""
        self.inputs = 0
        """How many parts of the text of the call are still to come."""

    def copy(self) -> _Needs:
        other = _Needs(self.calls)
        other.call, other.key, other.whole = self.call, self.key, self.whole
        other.last_key, other.inputs = self.last_key, self.inputs
        other.parts, other.arguments = set(self.parts), list(self.arguments)
        return other

    def take(self, other: _Needs) -> None:
        self.calls, self.call, self.parts = other.calls, other.call, other.parts
        self.arguments, self.key, self.whole = other.arguments, other.key, other.whole
        self.last_key, self.inputs = other.last_key, other.inputs

    @property
    def size(self) -> tuple[int, int, int]:
        return (len(self.calls), len(self.parts), len(self.arguments))

    @property
    def call_is_whole(self) -> bool:
        return not self.parts & {"name", "id", "input", "depends_on"} and not self.arguments


class Writer:
    """Writes messages in one format."""

    def __init__(self, tables: Tables, header: Header) -> None:
        self.tables = tables
        self.texts = RawTexts(header, tables)
        self.rules: dict[str, list[Production]] = {}
        for production in tables.productions:
            self.rules.setdefault(production.origin, []).append(production)
        self.terminals: dict[str, Terminal] = {}
        self.wire_names = {role: name for name, role in header.roles.items()}
        for terminal, name in zip(tables.terminals, self._lark_names(), strict=True):
            self.terminals[name] = terminal
        self.index = 0
        self.active: list[str] = []

    def _lark_names(self) -> list[str]:
        names = {s for p in self.tables.productions for s in p.symbols if s not in self.rules}
        return sorted(names)

    def message(self, calls: Sequence[ToolCall]) -> str | None:
        """Gives the islands that hold the calls, or None where no rule can carry them."""
        islands = []
        needs = _Needs(calls)
        while needs.calls:
            text = None
            for unit in self._units("start"):
                trial = needs.copy()
                text = self._symbols(unit, trial)
                if text is not None and len(trial.calls) < len(needs.calls):
                    needs = trial
                    break
                text = None
            if text is None:
                return None
            islands.append(text)
        return "\n".join(islands)

    def _units(self, origin: str) -> list[tuple[str, ...]]:
        """Lists what a repetition repeats."""
        found = []
        for production in self.rules[origin]:
            for symbol in production.symbols:
                if symbol in self.rules and self._repeats(symbol):
                    found += [p.symbols for p in self.rules[symbol] if symbol not in p.symbols]
                    return found
        return found

    def _repeats(self, origin: str) -> bool:
        return any(origin in production.symbols for production in self.rules[origin])

    def _symbols(self, symbols: Iterable[str], needs: _Needs, role: str = "") -> str | None:
        out = []
        for symbol in symbols:
            text = (
                self._rule(symbol, needs)
                if symbol in self.rules
                else self._terminal(self.terminals[symbol], needs, role)
            )
            if text is None:
                return None
            out.append(text)
        return "".join(out)

    def _rule(self, origin: str, needs: _Needs) -> str | None:
        if self._repeats(origin):
            return self._repetition(origin, needs)
        role = roles.bare_name(origin)
        if role == "call":
            return self._call(origin, needs)
        if role in ("reasoning", "content", "text"):
            return None
        if origin in self.active:
            return None  # a rule that begins with itself writes nothing new
        self.active.append(origin)
        try:
            return self._alternative(origin, role, needs)
        finally:
            self.active.pop()

    def _alternative(self, origin: str, role: str, needs: _Needs) -> str | None:
        best: tuple[str, _Needs] | None = None
        fewest = 0
        for production in self._in_order(origin, role, needs):
            trial = needs.copy()
            text = self._symbols(production.symbols, trial, production.role)
            if text is None:
                continue
            if trial.size < needs.size or role in roles.LEAF_ROLES:
                needs.take(trial)
                return text
            if best is None or len(production.symbols) < fewest:
                # Optional parts that carry nothing are left out.
                best, fewest = (text, trial), len(production.symbols)
        if best is None:
            return None
        needs.take(best[1])
        return best[0]

    def _in_order(self, origin: str, role: str, needs: _Needs) -> list[Production]:
        """Lists alternatives; of those of a value, raw ones come last for what is no text."""
        found = self.rules[origin]
        if role == "value" and needs.key is not None and not isinstance(needs.key[1], str):
            return sorted(found, key=self._is_raw)
        return found

    def _is_raw(self, production: Production) -> bool:
        return any(
            symbol in self.terminals and self.terminals[symbol].name == "RAW"
            for symbol in production.symbols
        )

    def _repetition(self, origin: str, needs: _Needs) -> str | None:
        units = [p.symbols for p in self.rules[origin] if origin not in p.symbols]
        out = []
        grew = True
        while grew:
            grew = False
            for unit in units:
                trial = needs.copy()
                text = self._symbols(unit, trial)
                if text is not None and trial.size < needs.size:
                    needs.take(trial)
                    out.append(text)
                    grew = True
                    break
        return "".join(out) if out else None

    def _call(self, origin: str, needs: _Needs) -> str | None:
        if not needs.calls:
            return None
        call = needs.calls[0]
        for production in self.rules[origin]:
            trial = needs.copy()
            trial.calls = trial.calls[1:]
            self._begin(trial, call)
            trial.inputs = sum(map(self._is_input, production.symbols))
            text = self._symbols(production.symbols, trial, production.role)
            if text is not None and trial.call_is_whole:
                needs.take(trial)
                self.index += 1
                return text
        return None

    def _is_input(self, symbol: str) -> bool:
        return any(p.role in ("input", "body") for p in self.rules.get(symbol, ()))

    def _begin(self, needs: _Needs, call: ToolCall) -> None:
        if call.input is None and "words" in self.tables.leaf_roles:
            call = _with_input(call)
        needs.call = call
        needs.parts = {"name", "arguments"}
        needs.arguments = list(call.arguments.items())
        if call.id is not None:
            needs.parts.add("id")
        if call.depends_on:
            needs.parts.add("depends_on")
        if call.input is not None or self.tables.free_text:
            needs.parts.add("input")
            needs.arguments = self._beside_input(call)
        for role, value in (("id", call.id), ("depends_on", ",".join(call.depends_on))):
            if value and role in self.wire_names:
                needs.parts.discard(role)
                needs.arguments.append((self.wire_names[role], value))

    def _beside_input(self, call: ToolCall) -> list[tuple[str, Any]]:
        """Lists the named arguments of a call that carries a text as well."""
        if call.input is None or not {"key", "words"} & set(self.tables.leaf_roles):
            return []
        return list(_named_arguments(call).items())

    # Terminals

    def _terminal(self, terminal: Terminal, needs: _Needs, role: str) -> str | None:
        call = needs.call
        if terminal.name == "SKIPPED" or (terminal.constants and not _stands_for(terminal, needs)):
            return None
        if terminal.kind == "literal" and role not in roles.LEAF_ROLES:
            return terminal.text
        if role not in roles.LEAF_ROLES or (terminal.kind == "literal" and role != "mode"):
            return self._marker(terminal, needs)
        if role == "mode":
            return self._fits(terminal, ("parallel",))
        if call is None:
            return None
        if role == "name" and "name" in needs.parts:
            needs.parts.discard("name")
            return self._named(terminal, call, call.name)
        if role == "id" and ("id" in needs.parts or terminal.groups):
            needs.parts.discard("id")
            if any(group_role == "name" for _, group_role in terminal.groups):
                needs.parts.discard("name")
            return self._named(terminal, call, call.id)
        if role == "depends_on" and "depends_on" in needs.parts:
            needs.parts.discard("depends_on")
            return ",".join(call.depends_on)
        return self._argument(terminal, needs, role)

    def _argument(self, terminal: Terminal, needs: _Needs, role: str) -> str | None:
        call = needs.call
        assert call is not None
        if role == "arguments" and "arguments" in needs.parts and "input" not in needs.parts:
            needs.parts.discard("arguments")
            if needs.whole:
                return None
            arguments, needs.arguments = dict(needs.arguments), []
            return payload(terminal, arguments)
        if role == "words" and needs.arguments:
            values, needs.arguments = [value for _, value in needs.arguments], []
            line = " ".join(v if isinstance(v, str) else as_json(v) for v in values)
            return self._fits(terminal, (self.texts.text(line, "words"), f" {line}"))
        if role == "key" and needs.arguments:
            needs.key, needs.whole = needs.arguments.pop(0), True
            needs.last_key = needs.key[0]
            return self._fits(terminal, (needs.key[0], as_json(needs.key[0])))
        if role == "value" and needs.key is not None:
            _, value = needs.key
            needs.key = None
            if terminal.kind == "regex":
                text = self.texts.value(value) if isinstance(value, str) else as_json(value)
                return self._fits(terminal, (text,))
            if terminal.name == "RAW" and isinstance(value, str):
                return self.texts.value(value)
            return payload(terminal, value)
        if role in ("input", "body") and "input" in needs.parts:
            return self._input(terminal, needs, call, role)
        return None

    def _input(self, terminal: Terminal, needs: _Needs, call: ToolCall, role: str) -> str | None:
        text = call.input
        if text is None:
            values = list(call.arguments.values())
            if len(values) > 1 or not all(isinstance(value, str) for value in values):
                return None
            text = values[0] if values else ""
        needs.inputs -= 1
        if terminal.name in roles.RAW_LIKE and needs.inputs > 0 and "\n" in text:
            # What stands behind is a part of the text too: its last line.
            body, _, last = text.rpartition("\n")
            needs.call = call.__class__(call.name, {}, input=last)
            return body
        if terminal.name == "JSON_TEXT":
            needs.parts.discard("input")
            return as_json(text)
        if role == "input" and terminal.name not in roles.RAW_LIKE:
            # A head on the opener's line, and the body below it.
            head, _, rest = text.partition("\n")
            written = self._fits(terminal, (head,))
            needs.parts.discard("input")
            if rest:
                needs.parts.add("input")
                needs.call = call.__class__(call.name, {}, input=rest)
            return written
        needs.parts.discard("input")
        return self.texts.text(text, role)

    def _named(self, terminal: Terminal, call: ToolCall, value: str | None) -> str | None:
        if terminal.kind == "tool":
            return value
        if terminal.groups:
            if value is not None and value != call.name:
                return self._fits(terminal, (value,))
            groups = {group: call.name for group, role in terminal.groups if role == "name"}
            return sample(terminal.pattern, groups, self.index)
        return self._fits(terminal, () if value is None else (value, as_json(value)))

    def _fits(self, terminal: Terminal, texts: Sequence[str]) -> str | None:
        if terminal.kind in ("payload", "tool"):
            return texts[0] if texts else None
        pattern = without_look_around(terminal.pattern)
        for text in texts:
            # A look-ahead elsewhere in a terminal may see what the grammar writes next.
            match = (
                re.match(pattern, text)
                or re.match(pattern, text + "\n")
                or re.match(pattern, text + "]")
            )
            if match and match.end() >= len(text):
                return text
        return None

    def _marker(self, terminal: Terminal, needs: _Needs) -> str | None:
        if terminal.kind == "same":
            assert needs.call is not None
            if terminal.name == "SAME_FENCE":
                return fence_round(needs.call.input or "")
            return needs.call.name if terminal.name == "SAME_NAME" else needs.last_key
        if terminal.kind == "payload":
            return None
        if terminal.name == roles.FENCE_TERMINAL and needs.call is not None:
            return fence_round(needs.call.input or "")
        if terminal.name == roles.COUNT_TERMINAL:
            return str(self.index + 1)
        if terminal.groups and needs.call is not None:
            return self._grouped(terminal, needs)
        return terminal.text or sample(terminal.pattern)

    def _grouped(self, terminal: Terminal, needs: _Needs) -> str | None:
        """Writes a marker that holds the name of the tool in a named group."""
        assert needs.call is not None
        named = {group: needs.call.name for group, role in terminal.groups if role == "name"}
        if not named or "name" not in needs.parts:
            return None
        text = sample(terminal.pattern, named, self.index)
        match = re.match(terminal.pattern, text) if text else None
        if match is None or any(match[group] != name for group, name in named.items()):
            return None
        needs.parts.discard("name")
        return text


def _stands_for(terminal: Terminal, needs: _Needs) -> bool:
    """Whether a terminal that names a tool names the one that is called; then it is written."""
    name = dict(terminal.constants)["name"]
    if needs.call is None or "name" not in needs.parts or name not in (ANY_TOOL, needs.call.name):
        return False
    needs.parts.discard("name")
    return True


def _with_input(call: ToolCall) -> ToolCall:
    """Gives a call whose last argument is its text, where that is a string."""
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    last = list(call.arguments.values())[-1:]
    return replace(call, input=texts[-1] if texts[-1:] == last else "")


def _named_arguments(call: ToolCall) -> dict[str, Any]:
    """Gives the arguments of a call but for the one that its text fills."""
    return {key: value for key, value in call.arguments.items() if value != call.input}


def write(tables: Tables, header: Header, calls: Sequence[ToolCall]) -> str:
    """Gives the wire text of calls, not yet checked.

    Raises:
        RenderError: when no rule of the grammar can carry them.
    """
    try:
        text = Writer(tables, header).message(calls)
    except (TypeError, ValueError) as problem:
        raise RenderError(f"a value of these calls is no JSON: {problem}") from problem
    if text is None:
        names = ", ".join(call.name for call in calls)[:80]
        raise RenderError(f"the format has no way to write these calls: {names}")
    return text


def render(fmt: Writable, calls: Iterable[ToolCall], text: str = "") -> str:
    """Gives the wire text of a message: `text`, then the calls.

    Raises:
        RenderError: when the format can't carry a value: what was written does not come back.
    """
    calls = tuple(calls)
    islands = write(fmt.tables, fmt.header, calls) if calls else ""
    written = f"{text}\n{islands}" if text and islands else text or islands
    back = _read(fmt, written, calls)
    if len(back) != len(calls):
        raise RenderError(
            f"the format can't carry this: {len(calls)} calls went in, {len(back)} came back"
        )
    for wanted, got in zip(calls, back, strict=True):
        _compare(wanted, got, free_text=fmt.tables.free_text)
    return written


def _compare(wanted: ToolCall, got: ToolCall, *, free_text: bool) -> None:
    same_id = wanted.id is None or wanted.id == got.id
    same = (
        wanted.name == got.name
        and same_id
        and got.status == "complete"
        and wanted.depends_on == got.depends_on
    )
    if wanted.input is not None or free_text:
        text = wanted.input
        if text is None:
            text = next(iter(wanted.arguments.values()), "")
        same = same and text == got.input
        if wanted.input is not None:
            same = same and as_json(_named_arguments(wanted)) == as_json(_named_arguments(got))
    else:
        same = same and as_json(wanted.arguments) == as_json(got.arguments)
    if not same:
        raise RenderError(
            f"the format can't carry the call of {wanted.name!r}: it would come back as {got!r:.200}"
        )


def _read(fmt: Writable, text: str, calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Reads a message back, with the types of the values that were written."""
    specs: dict[str, ToolSpec] = {}
    for call in calls:
        known = specs.get(call.name)
        properties = dict(known.parameters["properties"]) if known and known.parameters else {}
        properties |= {key: schema_of(value) for key, value in call.arguments.items()}
        schema = {"type": "object", "properties": properties}
        if "words" in fmt.tables.leaf_roles:
            schema["required"] = list(properties)
        specs[call.name] = ToolSpec(call.name, "", schema)
    source = Source()
    builder = Builder(
        source=source,
        format_id="",
        tools={} if fmt.tables.free_text else specs,
        trim=fmt.header.trim,
        wire_roles=fmt.header.roles,
        drop_unknown=False,
        id_seed="",
        free_text=fmt.tables.free_text,
        listening=False,
        header=fmt.header,
    )
    source.append(text)
    driver = Driver(Machine(fmt.tables, specs), builder, base=0, max_depth=200)
    driver.feed(text, final=True)
    return builder.calls


def schema_of(value: Any) -> dict[str, Any]:
    """Gives the JSON Schema type of a value."""
    if isinstance(value, dict):
        parts = {key: schema_of(part) for key, part in value.items()}
        return {"type": "object", "properties": parts}
    if isinstance(value, list | tuple):
        items = [schema_of(part) for part in value]
        alike = all(item == items[0] for item in items)
        return {"type": "array", "items": items[0]} if items and alike else {"type": "array"}
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
    if value is None:
        return {"type": ["null"]}
    return {"type": names.get(type(value), "object")}
