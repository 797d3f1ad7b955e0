"""Writes the terminals of a grammar for plain Lark, without the driver.

Examples: a raw value becomes an expression of text up to its closer and the text that must follow;
the payload `JSON_OBJECT` has the rule `json_object`. Plain Lark has tokens of its own, so that a
fault in those of the scanners is no fault of the oracle.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.message.doubled import undoubled
from toolgrammar.core.payloads.literals.elements import NAME
from toolgrammar.core.payloads.literals.markup_around import word_expressions
from toolgrammar.core.payloads.scanners import literal_of
from toolgrammar.grammar.payload_kinds import PAYLOADS, notation_of
from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.patterns import fences, heredocs
from toolgrammar.patterns.partial import alternation, unnamed
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.core.machine.machine import Machine, Node, Step

_SHARED = r"""
json_object: _json_object
json_value: _json_value
json_text: P_STRING
_json_value: _json_object | _json_array | P_STRING | P_NUMBER | P_WORD
_json_object: J_LBRACE J_RBRACE | J_LBRACE _json_member (J_COMMA _json_member)* J_RBRACE
_json_member: P_STRING J_COLON _json_value
_json_array: J_LSQB J_RSQB | J_LSQB _json_value (J_COMMA _json_value)* J_RSQB

template_object: _template_object
_template_value: _template_object | _template_array | P_STRING | P_BACKTICKS | P_NUMBER | P_WORD
_template_object: J_LBRACE J_RBRACE
    | J_LBRACE _template_member (J_COMMA _template_member)* J_RBRACE
_template_member: P_STRING J_COLON _template_value
_template_array: J_LSQB J_RSQB | J_LSQB _template_value (J_COMMA _template_value)* J_RSQB

P_STRING: /[ \t\n\r]*"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
P_BACKTICKS: /[ \t\n\r]*`(?:[^`\\]|\\[\s\S])*`/
P_NUMBER: /[ \t\n\r]*-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])/
P_WORD: /[ \t\n\r]*(?:true|false|null)\b/
J_LBRACE: /[ \t\n\r]*\{/
J_RBRACE: /[ \t\n\r]*\}/
J_LSQB: /[ \t\n\r]*\[/
J_RSQB: /[ \t\n\r]*\]/
J_COMMA: /[ \t\n\r]*,/
J_COLON: /[ \t\n\r]*:/
P_LBRACE: /\s*\{/
P_RBRACE: /\s*\}/
P_LSQB: /\s*\[/
P_RSQB: /\s*\]/
P_COMMA: /\s*,/
P_COLON: /\s*:/
"""
"""The rules of JSON, and tokens that several notations share."""


def payload_grammar() -> str:
    """Returns the rules of all declared payloads, as the text of a Lark grammar."""
    literals = dict.fromkeys(name for name, row in PAYLOADS.items() if row.module)
    found = [module for name in literals if (module := literal_of(name)) is not None]
    return _SHARED + "".join(dict.fromkeys(module.RULES for module in found))


LIGHT = 3
"""The length from which on a literal is evidence by itself."""

_NOTHING = "(?!)"  # An alternation of no patterns.
_END_OF_TEXT = r"\Z"
_FENCE = late(fences.OPENING)
_PAYLOAD_STARTS = {
    name: rf"\s*(?:{row.begins})" for name, row in PAYLOADS.items() if row.begins and row.has_end
}
"""How the payloads begin that end by themselves."""

ODD_BLANK = r"\s*[^\S \t\n\r]\s*"
"""White space that may be before a payload, but, in JSON, not inside it."""


class StrictTerminals:
    """The regular expressions of one machine's terminals, with RAW and text between calls."""

    def __init__(
        self, machine: Machine, island: str = "", *, quoting: bool = True, doubled: str = ""
    ) -> None:
        """Sets up the expressions.

        Args:
            machine: the grammar and the known tools.
            island: the text to be read, for closers that repeat a word of it.
            quoting: whether calls that are quoted in a raw payload balance.
            doubled: the text between the halves of a name that may be written twice.
        """
        self.machine = machine
        self._doubled = doubled
        self.nodes = _reachable(machine)
        self._exact = {group for node in self.nodes if node.blanks_matter for group in node.steps}
        self._quoting = quoting
        names = {terminal.name for terminal in machine.tables.terminals}
        # Lark's terminals have no memory, so the word that a closer repeats is looked up in the
        # text beforehand.
        fence = _FENCE.search(island) if "SAME_FENCE" in names else None
        self._fence = fences.length(fence[0]) if fence else 0
        self._marks = heredocs.marks_in(island) if "SAME_MARK" in names else ()
        # Assigned twice: `_value_openers` needs patterns before the names are known.
        self._names: tuple[str, ...] = ()
        self.value_openers = self._value_openers(island)
        self._names = self._names_in(island)
        self._entries: dict[tuple[int, ...], set[str]] = {node.stack: set() for node in self.nodes}
        for node in self.nodes:  # Raw text may follow different tokens.
            for group, step in node.steps.items():
                if step.kind in ("literal", "regex") and step.node.stack in self._entries:
                    self._entries[step.node.stack].add(group)

    @property
    def identity(self) -> tuple[object, ...]:
        """The values that distinguish the expressions of one grammar, as a key of the cache."""
        named = any(terminal.kind == "tool" for terminal in self.machine.tables.terminals)
        names = self.machine.tool_names if named else ()
        return (names, self.value_openers, self._names, self._quoting, self._fence, self._marks)

    def payload_terminals(self) -> Iterator[tuple[str, str]]:
        """Yields the terminals of payloads that depend on the header of the format."""
        for terminal in self.machine.tables.terminals:
            if notation_of(terminal.name) == "bare":
                quotes = _any(map(re.escape, terminal.marks))
                strings = _any(map(_string, sorted(terminal.marks, key=len, reverse=True)))
                yield "B_STRING", rf"\s*(?:{strings})"
                yield from word_expressions(self.nodes, quotes)
            if notation_of(terminal.name) == "elements":
                mark = re.escape(terminal.marks[0])
                yield "E_OPEN", rf"\s*{mark}<{NAME}>"
                yield "E_CLOSE", rf"{mark}</{NAME}>"
                yield "E_TEXT", _up_to((f"{mark}</?{NAME}>",))

    def _value_openers(self, island: str) -> tuple[tuple[str, str], ...]:
        """Lists the openers of values in a text, as written, each with its key."""
        tables = self.machine.tables
        # Only a closer that repeats the key depends on the opener before it.
        if not tables.call_opener or all(t.name != "SAME_KEY" for t in tables.terminals):
            return ()
        matches = (match for each in tables.value_openers for match in self._openers(each, island))
        return tuple(sorted({(match[0], match[1]) for match in matches}))

    def _openers(self, numbers: tuple[int, ...], island: str) -> Iterator[re.Match[str]]:
        """Finds a sequence of terminals in a text; what is no literal is a group of the match."""
        kinds = (self.machine.tables.terminals[n].kind for n in numbers)
        parts = zip(map(self._pattern, numbers), kinds, strict=True)
        opener = r"\s*".join(part if kind == "literal" else f"({part})" for part, kind in parts)
        return compile_pattern(opener).finditer(island)

    def _names_in(self, island: str) -> tuple[str, ...]:
        """Lists the names of calls in a text that a closer may repeat, as written."""
        tables = self.machine.tables
        if not tables.call_opener or all(t.name != "SAME_NAME" for t in tables.terminals):
            return ()
        matches = (
            match for each in tables.call_opener[2:] for match in self._openers(each, island)
        )
        found = {match[1] for match in matches if match.re.groups}
        if self._doubled:
            halves = {undoubled(name, self._doubled) for name in found}
            found |= halves | {f"{half}{self._doubled}{half}" for half in halves}  # `a`, `a.a`
        return tuple(sorted(found))

    def scanned(self, number: int) -> str:
        """Returns the expression of a literal, a pattern or a name, by its number.

        White space may be before it if the format skips it there.
        """
        pattern = self._pattern(number)
        if pattern == _NOTHING:
            pattern = r"(?!)x"  # plain Lark refuses a terminal that may be empty
        before = "" if f"t{number}" in self._exact else r"\s*"
        return f"{before}(?:{pattern})"

    def raw(self, role: str, kind: str = "RAW") -> str:
        """Returns the expression of a raw payload in a role, up to its closer or a quoted call.

        A look-behind determines the text before it, and with that the possible closers.
        """
        places = self._raw_places(role, kind)
        # `re` has no conditional look-behind: each way begins with the texts that must not be
        # before it.
        ways: list[str] = []
        otherwise = ""
        for entry, entered in self._by_entry(places):
            ways.append(f"{otherwise}(?<={entry}){self._raw_at(role, entered)}")
            otherwise += f"(?<!{entry})"  # Only if none of the longer ones is there.
        return _any([*ways, otherwise + self._raw_at(role, places)])

    def _by_entry(
        self, places: list[tuple[Node, Step]]
    ) -> list[tuple[str, list[tuple[Node, Step]]]]:
        """Groups places by the literal before them, the longest first."""
        found: dict[str, list[tuple[Node, Step]]] = {}
        for place in places:
            for group in self._entries[place[0].stack]:
                entry = self._pattern(int(group[1:]))
                if _of_one_width(entry):  # `re` looks behind by a fixed width only.
                    found.setdefault(entry, []).append(place)
        return sorted(found.items(), key=lambda item: -len(item[0])) if len(found) > 1 else []

    def _raw_at(self, role: str, places: list[tuple[Node, Step]]) -> str:
        """Returns the expression of a raw payload after one literal."""
        others: list[str] = []
        for node, _ in places:
            others += [self._pattern(int(group[1:])) for group, _ in node.tokens]
            # Also if both are equal: a text that begins like JSON but is not JSON, Lark does not
            # read. One that begins with anything has an empty start, which is left out.
            others += [_PAYLOAD_STARTS.get(other.terminal.name, "") for other in node.payloads]
        # The opener of the value determines the key, and with it the closer.
        ways = [
            f"(?<={re.escape(opener)}){self.raw_goes_on(role, key, places)}"
            for opener, key in self.value_openers
        ]
        return f"(?!{_any(others)})(?:{_any([*ways, self.raw_goes_on(role, '', places)])})"

    def raw_goes_on(
        self, role: str, key: str = "", places: Iterable[tuple[Node, Step]] | None = None
    ) -> str:
        """Returns the expression of a raw payload, of any key or of one, up to what may follow."""
        places = list(places or self._raw_places(role))
        stops = [closer for _, step in places for closer in self._alternatives(step.node, key)]
        # A longer fence in the block is an inner one, up to its own closer.
        if self._fence and _closes_block(places):
            close = fences.closing(self._fence)
            inside = rf"(?m:^`{{{self._fence},}}[ \t]*[^\s`]){_up_to((close,))}{close}"
            return f"(?:{inside}|(?!{_any(stops)})[\\s\\S])+"
        # Lark stops before a quoted call too: the rules of a payload then read all of it.
        quoted = self.quoted(role)
        return _up_to([*stops, *(quoted[:1] if quoted else ())])

    def quoted(self, role: str) -> tuple[str, str, str] | None:
        """Returns the parts of a call that is quoted in a raw payload: opener, text, closer.

        It is None if calls do not nest, because the opener of a call may end the payload.
        """
        tables = self.machine.tables
        if not self._quoting or not tables.call_opener or role not in ("value", "input", "body"):
            return None
        closer, follow, *heads = tables.call_opener
        first = {group for _, step in self._raw_places(role) for group, _ in step.node.tokens}
        # The opener begins the next call, so no call in the payload is quoted.
        if any(f"t{head[0]}" in first for head in heads):  # The opener ends the payload.
            return None
        after = rf"(?=\s*(?:{_any(self._pattern(n) for n in follow)}))" if follow else ""
        opens = f"(?:{_any(self._sequence(head) for head in heads)}){after}"
        closes = self._sequence(closer)
        return opens, _up_to([opens, closes]), closes

    def _sequence(self, numbers: tuple[int, ...]) -> str:
        """Joins the terminals of an opener or a closer; a repeated name is that of a tool."""
        tools = [n for n, t in enumerate(self.machine.tables.terminals) if t.kind == "tool"]
        same = {n for n in numbers if self.machine.tables.terminals[n].kind == "same"}
        return r"\s*".join(self._pattern(tools[0] if tools and n in same else n) for n in numbers)

    def closes_line(self, role: str) -> bool:
        """Whether the closer of a raw payload is on a line of its own."""
        return any(
            "\n" in terminal.lead
            for _, step in self._raw_places(role)
            for _, terminal in step.node.tokens
        )

    def between(self) -> str:
        """Returns the expression of text between the calls of a section."""
        openers = (
            opener
            for node in self.nodes
            if node.accepts_text
            for opener in self._alternatives(node)
        )
        return _up_to(openers)

    def _raw_places(self, role: str, kind: str = "") -> list[tuple[Node, Step]]:
        return [
            (node, step)
            for node in self.nodes
            for step in node.payloads
            if step.terminal.name in ((kind,) if kind else RAW_LIKE) and step.role == role
        ]

    def _pattern(self, number: int, key: str = "") -> str:
        """Returns the expression of a terminal by its number, with repeated words filled in."""
        terminal = self.machine.tables.terminals[number]
        if key and terminal.name == "SAME_KEY":
            return re.escape(key)
        if self._fence and terminal.name == "SAME_FENCE":
            return fences.closing(self._fence)
        if self._marks and terminal.name == "SAME_MARK":
            return heredocs.closing(self._marks)
        if self.machine.tables.terminals[number].is_mark:
            return heredocs.STRICT
        # The longest first, since `re` uses the first alternative that matches.
        if self._names and terminal.name == "SAME_NAME":
            return f"(?:{_any(map(re.escape, sorted(self._names, key=len, reverse=True)))})"
        return unnamed(self.machine.expressions.exact(terminal))

    def _alternatives(self, node: Node, key: str = "") -> list[str]:
        """Returns each token of a node, joined with the text that the grammar requires after it."""
        return [self._sure(int(group[1:]), node.steps[group].node, key) for group, _ in node.tokens]

    def _sure(self, number: int, node: Node, key: str) -> str:
        """Returns a token, joined with as much of the text after it as makes it certain."""
        text = self._pattern(number, key)
        while len(node.tokens) == 1 and not _ends(node) and not node.payloads:
            group, terminal = node.tokens[0]
            # A regular expression may match too much to be evidence.
            if terminal.kind not in ("literal", "same"):
                break
            text += r"\s*" + self._pattern(int(group[1:]), key)  # Forced by the grammar.
            node = node.steps[group].node  # Up to the first choice.
        if _ends(node) or node.payloads or not node.tokens:
            return text
        following = []
        for group, terminal in node.tokens:
            step = node.steps[group]
            one = self._pattern(int(group[1:]))
            # A short literal such as `}` needs the text after it as evidence.
            if terminal.kind == "literal" and step.weight < LIGHT and step.node.tokens:
                second = [self._pattern(int(inner[1:])) for inner, _ in step.node.tokens]
                one += rf"\s*(?:{'|'.join([*second, _END_OF_TEXT])})"
            following.append(one)
        return rf"{text}(?=\s*(?:{'|'.join(following)}|\Z))"  # A look-ahead: it is not consumed.


def _of_one_width(expression: str) -> bool:
    """Whether an expression can be used in a look-behind."""
    try:
        compile_pattern(f"(?<={expression})")
    except re.error:
        return False
    return True


def _closes_block(places: Iterable[tuple[Node, Step]]) -> bool:
    """Whether a fence ends a raw payload."""
    found = (t.name for _, step in places for _, t in step.node.tokens)
    return "SAME_FENCE" in found


def _string(quote: str) -> str:
    """Returns the expression of a string between two equal quotes; a short one has escapes."""
    mark = re.escape(quote)
    body = rf"(?:[^{mark}\\]|\\[\s\S])*" if len(quote) == 1 else r"[\s\S]*?"  # `"`, or `<|"|>`
    return f"{mark}{body}{mark}"


def _any(patterns: Iterable[str]) -> str:
    return alternation(dict.fromkeys(patterns))


def _up_to(patterns: Iterable[str]) -> str:
    """Returns the expression of text, of at least one character, before any of the patterns."""
    return rf"(?:(?!{_any(patterns)})[\s\S])+"


def _ends(node: Node) -> bool:
    """Whether a call may have ended in a node."""
    return node.accepts_text or node.closes_at_end is not None


def _reachable(machine: Machine) -> list[Node]:
    """Lists the nodes that can be reached from the start."""
    found = [machine.start]
    seen = {machine.start.stack}
    for node in found:
        following = [step.node for step in node.steps.values()]
        following.append(machine.node(node.after_text[1]))
        for other in following:
            if other.stack not in seen:  # The stack identifies a node.
                seen.add(other.stack)
                found.append(other)
    return found
