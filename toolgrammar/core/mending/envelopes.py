"""Mends the JSON object around a call between its tokens: commas, colons, brackets, comments.

Example: `{"name": "f" "arguments": {}}` lacks a comma, which is inserted.

The members of such an object are tokens of the grammar. Damage between them is mended if the next
token shows what is missing, even while the island is uncertain: if it is given back as text, its
repairs are taken back with it. In any envelope, a literal of the grammar that is written twice is
dropped once. So is the fence of a block of code around a call: in `<tool_call>` and a line
"```json" before `{"name": "f", …}` the fence is no part of the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.arguments.raw_values import fill_role
from toolgrammar.core.machine.next_calls import next_call_of
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.message.reports import report_edit
from toolgrammar.core.payloads.mended.look import ODD_SPACES
from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.grammar.roles import JSON_LIKE
from toolgrammar.tools.json_tokens import OTHER_COLON, OTHER_COLONS, OTHER_COMMAS
from toolgrammar.values.patterns import anywhere, blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.grammar.terminals import Terminal

_COMMENT = late(r"//[^\n\r]{0,256}[\n\r]|/\*(?:[^*]|\*(?!/)){0,256}\*/|#[^\n\r]{0,256}[\n\r]")
_COMMENT_BEGUN = late(r"(?:/|//[^\n\r]{0,256}|/\*(?:[^*]|\*(?!/)){0,256}\*?|#[^\n\r]{0,256})\Z")
_ODD = late(rf"[{ODD_SPACES}]{{1,64}}|\\[nrt]")
_COMMAS = anywhere(r",{0,64}")
_OTHER_COLON = late(OTHER_COLON)
_NEXT = late(r"\s{0,64},\s{0,64}\{")
_NEXT_BEGUN = late(r"\s{0,64}(?:,\s{0,64})?\Z")
_OVERRUN = late(r',\s*"\Z')
_KEY_BEGUN = late(r'\w{0,64}(?:"\s{0,16})?')
_KEY_REST = late(r'\w{1,64}"\s{0,16}:')
_LAST_STRING = late(r'"[^"]*"\Z')
_LONGEST_KEY: Final = 64
_LONGEST_RUN: Final = 64
"""The most characters that one edit drops."""
_DELIMITERS: Final = frozenset("{},:")
_MISSING_CODES: Final = {",": "comma", ":": "colon", "{": "bracket"}
_SHORTEST_TWICE: Final = 5
"""The least characters of a literal whose repetition is a mistake."""
_MOST_BETWEEN: Final = 8
"""The most blanks between an opener and its repetition."""

_TWICE: Final = "stray-close-tag"
_MESSAGES: Final = MESSAGES | {_TWICE: "Found markup a second time; left it out"}
"""The messages of damaged JSON, and of the one repair that only an envelope has."""


def mend_envelope(driver: Driver) -> bool | None:
    """Mends the envelope at the driver's position; None if it can't, False for more text."""
    place = blanks.match(driver.buffer, driver.position).end()
    if place == len(driver.buffer):
        return None
    # The order matters: extra text is dropped first, since the next token may follow it directly.
    for mend in (
        _drop_repeated,
        _drop_comment_or_space,
        _insert_bracket,
        _drop_stray_comma,
        _close_name,
        _insert_delimiter,
    ):
        found = mend(driver, place)
        if found is not None:
            return found
    return None


def _drop_repeated(driver: Driver, place: int) -> bool | None:
    """Drops a second copy of the literal that was read last."""
    previous = driver.previous
    if previous is None or previous.kind != "literal":
        return None
    last = driver.last_end
    # Only white space may stand between the two.
    if driver.builder.source.slice(last, max(last, driver.base + place)).strip():
        return None
    # The last token stands before the island, so this is the opener of the island itself.
    if driver.island >= 0 and driver.last_end <= driver.base + driver.island:
        return None
    text = previous.terminal.text.strip()
    if len(text) < _SHORTEST_TWICE:
        return None
    rest = driver.buffer[place : place + len(text)]
    if rest != text:
        # At the end of a chunk, the rest of the literal may still come.
        return False if not driver.final and text.startswith(rest) else None
    # An opener that stands there a third time is not a repetition by mistake: the first one is
    # text. Otherwise each format of a list would drop the second one and then fail to read a call.
    if driver.island >= 0:
        end = place + len(text)
        looked = driver.buffer[end : end + _MOST_BETWEEN + len(text)]
        behind = looked.lstrip()
        if behind.startswith(text):
            return None
        is_cut = len(looked) < _MOST_BETWEEN + len(text) and not driver.final
        if is_cut and text.startswith(behind):
            return False
    return _replace(driver, _TWICE, place, place + len(text), "")


def _drop_comment_or_space(driver: Driver, place: int) -> bool | None:
    """Drops comments, and odd characters that are not white space in JSON."""
    if not is_json(driver.node):
        return None
    buffer = driver.buffer
    odd = _ODD.match(buffer, place)
    if odd is not None:
        # A run that goes on in the next chunk has to be one edit, as if it had come at once.
        if odd.end() == len(buffer) and not driver.final and odd.end() - place < _LONGEST_RUN:
            return False
        return _replace(driver, "space", place, odd.end(), "")
    if not driver.final and (_COMMENT_BEGUN.match(buffer, place) or buffer[place:] == "\\"):
        return False
    comment = _COMMENT.match(buffer, place)
    return comment and _replace(driver, "comment", place, comment.end(), "")


def _insert_bracket(driver: Driver, place: int) -> bool | None:
    """Inserts a missing bracket before the next object of a list, or replaces a wrong one."""
    node, buffer, back = driver.node, driver.buffer, driver.way_back
    # In `[{"name": "a", {"name": "b"` the comma was read as one between members.
    if buffer[place] == "{" and back is not None and back.previous is not None:
        return _insert_bracket_before_comma(driver, back.start, back.node)
    for bracket, step in _closing_brackets(node):
        next_call = next_call_of(step.node)
        # A `]` stands where `}` is expected.
        is_other = buffer[place] in "}])" and buffer[place] != bracket
        rest = place + is_other
        begun = _NEXT_BEGUN.match(buffer, rest)
        if not driver.final and (begun or (not is_other and next_call.begun.match(buffer, rest))):
            return False
        # A `, {` shows that a bracket is missing, if the grammar accepts the comma.
        shown = _NEXT.match(buffer, rest) and step.node.token.match(buffer, rest)
        if is_other and shown:
            driver.end_at(driver.base + rest)
            return _replace(driver, "bracket", place, rest, bracket, step=step)
        # In `[{"name": "a" {"name": "b"` the next call shows it as well.
        if not is_other and (shown or next_call.pattern.match(buffer, rest)):
            return _insert(driver, "bracket", bracket, go_on=place, step=step)
    return None


def _closing_brackets(node: Node) -> Iterator[tuple[str, Step]]:
    """Yields the closing brackets that may come next at a node, each with its step."""
    for group, terminal in node.tokens:
        bracket, step = terminal.text.strip(), node.steps[group]
        if terminal.kind == "literal" and bracket in ("}", "]") and not step.opens:
            yield bracket, step


def _insert_bracket_before_comma(driver: Driver, comma: int, node: Node) -> bool | None:
    """Inserts a bracket before the last comma, if the next object of a list follows."""
    if driver.buffer[comma : comma + 1] != ",":
        return None
    for bracket, step in _closing_brackets(node):
        # The bracket belongs before the comma, so the comma is read again after it.
        if step.node.token.match(driver.buffer, comma):
            driver.step_back()
            return _insert(driver, "bracket", bracket, go_on=comma, step=step)
    return None


def _drop_stray_comma(driver: Driver, place: int) -> bool | None:
    """Drops commas that separate nothing, at this index or just before it."""
    buffer = driver.buffer
    if buffer[place] == ",":
        if not is_json(driver.node):
            return None
        end = _COMMAS.match(buffer, place).end()
        # More commas may follow in the next chunk.
        if end == len(buffer) and not driver.final and end - place < _LONGEST_RUN:
            return False
        return _replace(driver, "stray-comma", place, end, "")
    back = driver.way_back
    if back is None or back.previous is None:
        return None
    comma, node = back.start, back.node
    if buffer[comma : comma + 1] != ",":
        return None
    # In `"name": "a", }` the text after the comma fits in its place.
    patterns = (node.token, repairs_of(node).pattern)
    if not any(pattern.match(buffer, place) for pattern in patterns):
        waits = (node.beginnings, repairs_of(node).beginnings)
        is_open = not driver.final and any(pattern.match(buffer, place) for pattern in waits)
        return False if is_open else None
    driver.step_back()
    return _replace(driver, "stray-comma", comma, comma + 1, "", go_on=place)


def _close_name(driver: Driver, place: int) -> bool | None:
    """Ends a name whose closing quote is missing, before the comma and the next key."""
    builder, previous, buffer = driver.builder, driver.previous, driver.buffer
    draft = builder.draft
    if previous is None or previous.role != "name" or draft is None:
        return None
    # In `"name": "search, "arguments": …` the name was read up to the quote of the key.
    overrun = _OVERRUN.search(draft.written_name)
    if overrun is None or place != driver.last_end - driver.base:
        return None
    if not driver.final and _KEY_BEGUN.fullmatch(buffer, place):
        return False
    commas = [group for group, terminal in driver.node.tokens if terminal.text.strip() == ","]
    if not _KEY_REST.match(buffer, place) or not commas:
        return None
    if draft.started:
        draft.doubts.append("missing-quote")  # the name was emitted already
        return None
    comma = place - len(overrun.group())
    written, closed = draft.written_name[: overrun.start()], '"'
    if (len(written) - len(written.rstrip("\\"))) % 2:
        closed = '\\"'  # a backslash would escape the inserted quote
    # The name was read with the comma and the quote of the next key: `search, "`.
    draft.forget_name()
    fill_role(builder, "name", written + closed, driver.base + comma, driver.call_start)
    driver.end_at(driver.base + comma + 1)
    step = driver.node.steps[commas[0]]
    doubtful = draft.name not in builder.tools
    if doubtful:
        draft.doubts.append("missing-quote")  # more than the quote may be missing
    return _replace(driver, "missing-quote", comma, comma, closed, go_on=place - 1, step=step,
                    doubtful=doubtful)  # fmt: skip


def _insert_delimiter(driver: Driver, place: int) -> bool | None:
    """Inserts a comma, a colon or a brace, if the text here may follow it."""
    node, buffer = driver.node, driver.buffer
    for group, terminal in node.tokens:
        delimiter = terminal.text.strip()
        step = node.steps[group]
        if terminal.kind != "literal" or delimiter not in _MISSING_CODES or step.role or step.opens:
            continue
        # `"name":` is one token of the grammar, so no colon is missing after it.
        if delimiter == ":" and _key_has_colon(driver):
            return None
        # An example is `"name" => "search"`.
        other = _OTHER_COLON.match(buffer, place) if delimiter == ":" else None
        if other is not None:
            if other.end() == len(buffer) and not driver.final:
                return False
            return _replace(driver, OTHER_COLONS[other[0]], place, other.end(), ":", step=step)
        # In `"name": "f"; "arguments": {}` the delimiter is there, written otherwise.
        end = place + (delimiter == "," and buffer[place] in OTHER_COMMAS)
        fits = _fits(step.node, driver, end, delimiter)
        if fits and end > place:
            return _replace(driver, _MISSING_CODES[delimiter], place, end, delimiter, step=step)
        if fits:
            return _insert(driver, _MISSING_CODES[delimiter], delimiter, go_on=place, step=step)
        if fits is None:
            return False
    return None


def _key_has_colon(driver: Driver) -> bool:
    """Whether the key that was read last is a token of the grammar that includes its colon."""
    end = driver.last_end
    key = _LAST_STRING.search(driver.builder.source.slice(end - _LONGEST_KEY, end))
    if key is None:
        return False
    terminals = driver.node.machine.tables.terminals
    return any(found.text.rstrip() == f"{key.group()}:" for found in terminals)


def _fits(node: Node, driver: Driver, place: int, delimiter: str) -> bool | None:
    """Whether the text at an index may follow a delimiter; None if more text is needed."""
    buffer = driver.buffer
    if _may_begin(node, driver, place):
        return None
    match = node.token.match(buffer, place)
    if match is not None:
        terminal = node.steps[match.lastgroup or ""].terminal
        # A comma is missing between two calls only if a call begins after the brace.
        if delimiter == "," and terminal.text.strip() == "{":
            return _begins_call(node.steps[match.lastgroup or ""].node, driver, match.end())
        # Any value may follow a colon, but only a key or a string shows that a comma or a brace is
        # missing.
        if delimiter == ":" or not _is_quoted(terminal):
            return delimiter == ":"
        # A word with a colon may be prose or the next call, before which no comma is missing.
        written = buffer[match.start(match.lastgroup or "")]
        return terminal.name != "JSON_STRING" or not written.isalnum()
    return delimiter == ":" and any(
        step.terminal.name in JSON_LIKE and step.begins.match(buffer, place) is not None
        for step in node.payloads
    )


def _may_begin(node: Node, driver: Driver, place: int) -> bool:
    """Whether a token of a node may still begin at an index, where the text so far ends."""
    buffer = driver.buffer
    is_open = blanks.match(buffer, place).end() == len(buffer)
    return not driver.final and (is_open or node.beginnings.match(buffer, place) is not None)


def _begins_call(node: Node, driver: Driver, place: int) -> bool | None:
    """Whether the first key of a call follows its brace; None if more text is needed."""
    if _may_begin(node, driver, place):
        return None
    match = node.token.match(driver.buffer, place)
    return match is not None and _is_quoted(node.steps[match.lastgroup or ""].terminal)


def is_json(node: Node) -> bool:
    """Whether a node expects a token of a JSON object."""
    return any(step.terminal.name in JSON_LIKE for step in node.payloads) or any(
        terminal.text.strip() in _DELIMITERS or _is_quoted(terminal) for _, terminal in node.tokens
    )


def _is_quoted(terminal: Terminal) -> bool:
    """Whether a terminal is a key or a string of JSON."""
    return (terminal.text.strip() or terminal.pattern).startswith('"')


def _insert(driver: Driver, code: str, delimiter: str, *, go_on: int, step: Step) -> bool:
    """Inserts a delimiter behind the last token, and goes on at an index."""
    last = driver.last_end - driver.base
    return _replace(driver, code, last, last, delimiter, go_on=go_on, step=step)


def _replace(
    driver: Driver,
    code: str,
    start: int,
    end: int,
    text: str,
    *,
    go_on: int | None = None,
    step: Step | None = None,
    doubtful: bool = False,
) -> bool:
    """Reports an edit of the envelope, and goes on after it.

    Args:
        driver: the driver.
        code: the code of the diagnostic.
        start: the index in the buffer where the edit begins.
        end: the index where it ends.
        text: the replacement.
        go_on: the index from which the driver reads on; `end` if it is None.
        step: the step of the inserted token, which is applied.
        doubtful: whether the diagnostic is an error.
    """
    builder = driver.builder
    span = Span(driver.base + start, driver.base + end)
    report_edit(builder, code, _MESSAGES[code], span, text, doubtful=doubtful)
    # If a required argument is missing, the brace may belong to another place.
    is_open = builder.draft is not None and builder.has_arguments and builder.lacks_required
    builder.mend(*["bracket"] * (code == "bracket" and "}" in text and is_open))
    driver.move_to(end if go_on is None else go_on)
    if step is not None:
        driver.apply_without_text(step)
    return True


_FENCE = late(r"\s{0,64}(?P<fence>```\w{0,16})[ \t]{0,16}(?:\r?\n)?")
_FENCE_BEGINNINGS = late(r"\s{0,64}(?:`{1,2}|```\w{0,16}[ \t]{0,16}\r?)?\Z")


def skip_fence(driver: Driver) -> bool | None:
    """Drops a code fence after an opener; False if more text is needed, None if there is none."""
    start = driver.position
    if not driver.final and _FENCE_BEGINNINGS.match(driver.buffer, start):
        return False
    match = _FENCE.match(driver.buffer, start)
    if match is None:
        return None
    span = Span(*(driver.base + place for place in match.span("fence")))
    message = "Found a code fence round the call; left it out"
    report_edit(driver.builder, "around", message, span, "")
    driver.builder.mend()
    driver.move_to(match.end())
    return True
