"""Finds markup that is damaged inside a raw value and should have ended or opened a value.

Example: in `<parameter=a>x</paramter>` the value contains `</paramter>`, its own closer, misspelt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sample_text
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.raw.raw_tokens import forced_steps
from toolgrammar.patterns.damaged_marks import Damaged, marks_of
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.payloads.raw.raw_tokens import TokenPatterns
    from toolgrammar.grammar.terminals import Terminal

_NAME, _KEY, _FENCE = "\0SAME_NAME", "\0SAME_KEY", "\0SAME_FENCE"
"""Placeholders for the text of a terminal that repeats a name, a key or a fence."""
_NEXT = "\1"
"""The separator between closers."""
_LEAST = 5
"""A closer that is longer than this, in characters, identifies what it closes."""
_LONGEST_LITERAL = 64
_LINE = late(r"\n([^\s][^\n]*)")
_CLOSED_BY = {"{": "}", "[": "]", '"': '"', "'": "'"}
"""The characters that begin a value in quotes or brackets, each with the one that ends it."""
_ARGUMENT = "key: value"
"""The name, in a message, of a line that may have been an argument."""
_HALF = late(r"<[|\uff5c][^\s<>]{1,64}[|\uff5c]>(?=.)")
"""The first special token of a closer that has more behind it: `<|close|>` of `<|close|>call<|sep|>`."""
_BEGUN = late(r"</?[ \t]{0,16}\s{0,2}\Z")
"""The beginning of a tag at the end of a value: half of a closer that was written twice."""


class ValueMarks:
    """The marks around a raw value; repeated names and keys are known only while a call is read."""

    def __init__(
        self, end: TokenPatterns, *, takes: bool, pairs: bool, in_line: bool = False
    ) -> None:
        """Collects the marks around a value.

        Args:
            end: the end of the value.
            takes: whether the payload is a value, which is searched for markup.
            pairs: whether its own closers pair with openers inside it.
            in_line: whether the end of its line ends it.
        """
        self._in_line = in_line
        openers = set(_openers(end)) if takes else set()
        # Markup that both opens and closes, as a fence does, does not count as a closer.
        closers = set(_closers(end)) - openers if takes else set()
        self._openers = tuple(sorted(openers))
        self._joined = _NEXT.join(sorted(closers))
        # A closer such as `</city>` repeats a name: it is known only while a call is read.
        repeats = "\0" in self._joined
        self._fixed = None if repeats else marks_of(tuple(sorted(closers)), self._openers)
        # Excluded: closers that repeat a name, and those so short that any value may contain them,
        # as `]`.
        own = {_forced(end.node, group).strip() for group, _ in end.node.tokens}
        own |= {_text(terminal).strip() for _, terminal in end.node.tokens}
        known = [each for each in own if len(each) > _LEAST and "\0" not in each]
        self._own = known if takes and not pairs else []
        """The value's own closers, unless the reader pairs them with openers inside."""
        halves = {half[0]: each for each in sorted(own) if (half := _HALF.match(each))}
        self._halves = halves if takes else {}
        """The first halves of the value's own closers, each with its closer."""
        self._repeated = tuple(sorted(set(_own_openers(end)))) if takes else ()
        """The tags right before the value, with which it does not begin."""
        self._tag = next((each for each in sorted(own) if each.startswith("</")), "") * takes
        """A closer of the value that is a tag, if it has one."""
        self._literals = tuple(sorted(set(_literals(end)))) if takes else ()
        texts = [_text(terminal).strip() for terminal in end.machine.tables.terminals]
        longer = (
            each.removesuffix(self._tag).strip() for each in texts if each.endswith(self._tag)
        )
        self._ends = tuple({each for each in longer if each}) if self._tag else ()
        """The ends of other kinds of values before the same tag, such as `]]>` of CDATA."""
        self._opening = marks_of(self._openers)
        """The openers of arguments, calls and sections."""
        whole = (each.strip() for each in self._joined.split(_NEXT) if "\0" not in each)
        self._leading = marks_of(self._literals, (*self._openers, *filter(None, whole)))
        """The marks that may open the value itself, without a whole closer in that place."""

    def damaged(
        self,
        text: str,
        name: str,
        key: str,
        fence: str = "",
        *,
        openers: bool = False,
        is_cut: bool = False,
    ) -> Damaged | None:
        """Returns damaged markup in a value, which may end the value; None if there is none.

        Args:
            text: the value.
            name: the name of the call, as written.
            key: the key of the argument, as written.
            fence: the fence of the block of code that is open.
            openers: whether damaged openers count, too.
            is_cut: whether the end of the message ends the value.
        """
        marks = self._fixed
        # Marks with the name or the key differ from call to call; the others are made once.
        if marks is None:
            known = self._joined.replace(_NAME, name).replace(_KEY, key).replace(_FENCE, fence)
            marks = marks_of(tuple(known.split(_NEXT)), self._openers)
        found = marks.find(text, is_cut=is_cut) or marks.broken_off(text)
        if openers and found is None:
            found = self._opening.find(text)
        found = found or self._line_behind(text) or self._at_edge(text)
        return found or (self._behind_closer(text) if self._own else None)

    def _line_behind(self, text: str) -> Damaged | None:
        """Returns the second line of a value that should have ended with its first line; else None.

        An indented line continues the value, as in YAML.
        """
        if not self._in_line or "\n" not in text or _spans_lines(text):
            return None
        line = _LINE.search(text)
        return None if line is None else Damaged(line.start(1), line[1].strip(), _ARGUMENT)

    def _at_edge(self, text: str) -> Damaged | None:
        """Returns damaged markup at the start of a value, or half of it at the end; else None."""
        # A value of another kind, such as CDATA, whose opener is damaged: `<![CTA[a]]></param>`.
        if text.endswith(self._ends):
            mark = next(filter(text.endswith, self._ends))
            return Damaged(len(text) - len(mark), mark, f"{mark}{self._tag}")
        # `arg_value>7`: the opener of the value is optional, and lost a character here.
        found = self._leading.find(text[:_LONGEST_LITERAL]) if self._literals else None
        if found is not None and found.start == 0:
            return found
        # `<arg_value><arg_value>7`: the opener was written twice.
        first = text[:_LONGEST_LITERAL]
        begun = first.lstrip()
        # With its closer inside, the element is data.
        if begun.startswith(self._repeated) and not (self._tag and self._tag in text):
            mark = next(filter(begun.startswith, self._repeated))
            return Damaged(len(first) - len(begun), mark, mark)
        # `7<|close|><|close|>call<|sep|>`: half of the closer was written twice.
        if half := next(filter(text.endswith, self._halves), ""):
            return Damaged(len(text) - len(half), half, self._halves[half])
        # `7<</arg_value>`: half of a tag was.
        end = _BEGUN.search(text, max(0, len(text) - _LONGEST_LITERAL)) if self._tag else None
        return Damaged(end.start(), end[0].strip(), self._tag) if end else None

    def _behind_closer(self, text: str) -> Damaged | None:
        """Returns the opener, damaged or whole, after a closer inside the value; else None."""
        for own in self._own:
            before, closer, behind = text.partition(own)
            written = [*self._opening.written, *self._literals]
            # After an opener that the value quotes, the closer belongs to that quotation.
            if not closer or any(each in before for each in written):
                continue
            whole = next((each for each in written if each in behind and each != own), None)
            # Closer and opener are whole: two values may have been read as one, and the first ends
            # here.
            if whole is not None:
                return Damaged(len(before), closer, whole)
            # Its index is one in `behind`: it is converted to one in the value.
            # A closed element does not make it part of the value: the value has ended.
            found = self._opening.find(behind, pairs=False) or self._opening.broken_off(behind)
            if found is not None:
                return Damaged(found.start + len(text) - len(behind), found.text, found.mark)
        return None


def _spans_lines(text: str) -> bool:
    """Whether a value is in quotes or brackets that its first line does not close."""
    first = text.lstrip().partition("\n")[0].rstrip()
    opening, closing = first[:1], _CLOSED_BY.get(first[:1], "")
    is_closed = len(first) > 1 and first[-1] == closing
    return closing != "" and not (is_closed and first.count(opening) == first.count(closing))


def _closers(end: TokenPatterns) -> Iterator[str]:
    """Writes the value's closers, and those of the markup around it."""
    tables, node = end.machine.tables, end.node
    for group, _ in node.tokens:
        yield _forced(node, group)
    for anchor in repairs_of(node).anchors.values():
        # The opener of an argument closes nothing, and is judged elsewhere.
        if not anchor.step.opens:
            yield _text(anchor.step.terminal)
    # The call's own closer, joined from all of its terminals.
    if tables.call_opener:
        yield "".join(_text(tables.terminals[number]) for number in tables.call_opener[0])


def _openers(end: TokenPatterns) -> Iterator[str]:
    """Writes the openers of arguments, calls and sections."""
    tables = end.machine.tables
    firsts = [each[0] for each in (*tables.call_opener[2:], *tables.value_openers)]
    yield from (_text(tables.terminals[first]) for first in firsts)
    for anchor in repairs_of(end.node).anchors.values():
        if anchor.step.opens:
            yield _text(anchor.step.terminal)


def _own_openers(end: TokenPatterns) -> Iterator[str]:
    """Writes the tags right before values that have another one before their key: `<arg_value>`."""
    for opener in end.machine.tables.value_openers:
        text = _text(end.machine.tables.terminals[opener[-1]]).strip()
        if len(opener) > 1 and len(text) > _LEAST and text[0] == "<":
            yield text


def _literals(end: TokenPatterns) -> Iterator[str]:
    """Writes the tags of the format that open a part, as `<arg_value>` and `<![CDATA[`."""
    for terminal in end.machine.tables.terminals:
        text = terminal.text.strip()
        if terminal.kind == "literal" and text[:1] == "<" and text[1:2] != "/":
            yield text


def _forced(node: Node, group: str) -> str:
    """Writes a token and those that must follow it."""
    step = node.steps[group]
    steps = (step, *forced_steps(step))
    return "".join(_text(each.terminal) for each in steps)


def _text(terminal: Terminal) -> str:
    # Its text is inserted later, for the placeholder of the terminal.
    if terminal.kind == "same":
        return f"\0{terminal.name}"
    return sample_text(terminal)
