"""Pushes text through the nodes of a grammar: feed any pieces, close at the end.

The driver is always in one of four modes:

- *text*: it looks for the next opener that the node takes, gives out what stands before it, and
  holds back the shortest tail that may still become an opener;
- *token*: inside an island it reads one token of the envelope after the other, with one regular
  expression a node;
- *payload*: a scanner for JSON or for Python arguments owns the text until its value is whole;
- *raw*: text without escapes runs up to the closer that `raw_end` finds.

An island that opens is a guess at first. It becomes certain (*commits*) at the first payload or
at the first distinctive token after the tool's name. A mismatch before that gives the opener back
as text and looks for the next one; a mismatch after it ends the call, says so, and the rest is
text. Without the recovery hook of a higher layer nothing is mended here.

The result depends on the text alone, never on where it was cut: a token waits while the text so
far may become a longer or another one, and every limit counts characters of tokens, not of
chunks. Each character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core import marks
from toolgrammar.core.envelopes import is_json, mend_envelope
from toolgrammar.core.evidence import NotACall
from toolgrammar.core.json_payload import JsonPayload
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.json_typing import needs_typing
from toolgrammar.core.loose import as_strict, code_of, is_loose
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.mending import (
    begins_call,
    closers_behind,
    cut_call,
    cut_here,
    mend,
    missing_closers,
    skip_fence,
    text_of,
)
from toolgrammar.core.raw_reader import RawReader
from toolgrammar.core.roles import (
    ANY_JSON,
    GROUP_ROLES,
    JSON_LIKE,
    RAW_LIKE,
    STRICT_JSON,
)
from toolgrammar.core.scan_json import JsonScanner, read_whole
from toolgrammar.core.scanners import scanner_for
from toolgrammar.core.stops import close_by_stop
from toolgrammar.core.undecided import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.among import Among
    from toolgrammar.core.build import Builder
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.scanners import Scanner
    from toolgrammar.core.steps import Step

SECTION_EVIDENCE = 16
"""Characters of a section's opener that are evidence without a call behind them."""
FENCED = 5
"""Characters of an opener that may have a code fence behind it."""
SHORT = 3
"""Characters of a literal that stands for itself."""
MAX_ISLAND = 4096
"""Characters from an opener to the payload or the name: more is no island."""

_ISLANDS = frozenset({"call", *GROUP_ROLES})
_SPACE = re.compile(r"\s*")
_START_BEGINNINGS = re.compile(r"(?:[^\W\d]\w{0,255}\s{0,16}=?)?\Z")


class Driver:
    """The state of one message between two chunks."""

    __slots__ = (
        "among",
        "back",
        "base",
        "behind",
        "buffer",
        "builder",
        "called",
        "final",
        "island",
        "island_node",
        "island_payload",
        "last_end",
        "limits_depth",
        "may_be_fenced",
        "node",
        "position",
        "previous",
        "raw",
        "run",
        "scanner",
        "start_node",
        "step",
        "steps",
        "unit",
    )

    def __init__(self, machine: Machine, builder: Builder, *, base: int, max_depth: int) -> None:
        self.builder = builder
        self.node = self.start_node = machine.start
        self.buffer = ""
        self.base = base
        """Offset in the source of the buffer's first character; negative inside the prefix."""
        self.position = 0
        self.island = -1
        """Index in the buffer where an island that is not certain yet began, or -1."""
        self.island_node = machine.start
        self.island_payload = False
        self.may_be_fenced = False
        """Whether no code fence was left out yet behind the island's opener."""
        self.unit = -1
        """Offset where the part that may become a call began, or -1."""
        self.last_end = base
        self.back: tuple[int, Node, int, Step | None] | None = None
        """Of a short literal that was read last, before a repeated name: its index, and the node,
        the end and the token before it. The name may show that it belongs to something else."""
        self.behind: str | None = None
        """The name of the last call while nothing but white space follows it; else None."""
        self.final = False
        self.steps = 0
        """Rounds of the loop so far: a measure of work that needs no clock."""
        self.previous: Step | None = None
        self.step: Step | None = None
        self.scanner: Scanner | JsonPayload | None = None
        self.limits_depth = max_depth
        self.raw: RawReader | None = None
        self.called = False
        self.among: Among | None = None
        """The other formats that the message may be written in."""
        self.run: Callable[[], bool] = self._text

    def feed(self, chunk: str, *, final: bool = False) -> None:
        """Takes the next chunk; `final` says that the text ends with it."""
        if self.among is not None:
            self.among.feed(self, chunk, final=final)
        else:
            self.take(chunk, final=final)

    def take(self, chunk: str, *, final: bool) -> None:
        """Takes a chunk and reads on as far as it goes."""
        keep = self.position if self.island < 0 else self.island
        if self.back is not None:
            keep = min(keep, self.back[0])
        keep = max(0, keep - 1)  # one character before, for anchors and look-behinds
        if keep:
            self.buffer = self.buffer[keep:] + chunk
            self.base += keep
            self.position -= keep
            if self.raw is not None:
                self.raw.searched -= keep
            if self.back is not None:
                self.back = (self.back[0] - keep, *self.back[1:])
            if self.island >= 0:
                self.island -= keep
        else:
            self.buffer += chunk
        self.final = final
        reading = True
        while reading:
            try:
                while self.run():
                    self.steps += 1
                self.steps += 1
                if final:
                    self._finish()
                reading = False
            except NotACall:
                self._mismatch()

    def restart(self, before: str, offset: int, last_end: int) -> None:
        """Stands in text again at an offset, with nothing but the character before it."""
        self.buffer = before
        self.position = len(before)
        self.base = offset - len(before)
        self.last_end = last_end
        self.island = self.unit = -1
        self.back = self.behind = self.previous = self.step = self.scanner = self.raw = None
        self.final = self.called = False
        self.run = self._text

    def feed_inside(self, chunk: str) -> bool:
        """Takes a chunk that only goes on where the driver is; False where it must be looked at.

        Most chunks of a stream go on in a string, in a raw value or in text: they need neither
        the buffer nor a round of the loop.
        """
        if self.island >= 0 or self.position != len(self.buffer):
            return False
        scanner, raw = self.scanner, self.raw
        if scanner is not None:
            if not isinstance(scanner, (JsonScanner, JsonPayload)) or not scanner.plain:
                return False
            if not scanner.inside(chunk):
                return False
            self.builder.scanned.take(chunk)
        elif raw is not None:
            if raw.held is not None or raw.others is not None or not raw.end.plain.fullmatch(chunk):
                return False
            raw.searched = 1
            self.builder.raws.take(chunk)
        elif (
            self.node.skipping
            or self.behind is not None
            or not self.in_text
            or not self._takes_plain(chunk)
        ):
            return False
        else:
            self.builder.text(chunk, self.base + self.position)
        if self.among is not None:
            self.among.judge.settle(self.builder)
        self.went_on(chunk, 1)
        return True

    def went_on(self, text: str, chunks: int) -> None:
        """Steps behind text in which nothing began or ended."""
        # One character stays, for anchors and look-behinds.
        self.base += self.position + len(text) - 1
        self.buffer = text[-1]
        self.position = 1
        self.steps += chunks

    def _takes_plain(self, chunk: str) -> bool:
        if self.among is not None and self.among.governs(self.node):
            return self.among.takes_plain(self, chunk)
        return self.node.plain.fullmatch(chunk) is not None

    @property
    def in_text(self) -> bool:
        """Whether the driver looks for the next opener."""
        return self.run == self._text

    # Text

    def _text(self) -> bool:
        if self.behind is not None and (waits := self._behind_island()) is not None:
            return waits
        buffer, position = self.buffer, self.position
        node = self.node
        if self.among is not None and self.among.governs(node):
            return self.among.text(self)
        match = node.opener.search(buffer, position)
        end = match.start() if match else len(buffer)
        if match is None and not self.final:
            held = node.opener_beginnings.search(buffer, position)
            if held:
                end = held.start()
        self.give_text_to(end)
        if match is None:
            return False
        self.builder.mark()
        self.enter_island(node, end)
        if self.among is not None:
            self.among.in_section = True
        return True

    def give_text_to(self, end: int) -> None:
        """Gives out the text up to an index."""
        if end > self.position:
            self._give_text(self.position, end)
            self.position = end

    def enter_island(self, node: Node, place: int) -> None:
        """Begins an island that may turn out to be none."""
        self.node = node
        self.position = place
        self.island, self.island_node, self.island_payload = place, node, False
        self.may_be_fenced = True
        self.behind = None
        self.unit = -1
        self.called = False
        self.run = self._token

    def _behind_island(self) -> bool | None:
        """Leaves out closers that follow a call or section; None where text begins."""
        buffer, node = self.buffer, self.node
        place = _SPACE.match(buffer, self.position).end()  # type: ignore[union-attr]
        if place > self.position:
            if node.closes_group and (waits := self._blank_in_section(place)) is not None:
                return waits
            self._give_text(self.position, place)
            self.position = place
        if self.behind is None:
            return None
        if place == len(buffer):
            return False
        strays = node.strays
        match = strays.pattern.match(buffer, place)
        if not self.final and strays.beginnings.match(buffer, place):
            return False
        name = match.groupdict().get("name") if match else None
        opens = self._opens(place)
        if opens is None:
            return False
        if match is None or name not in (None, self.behind) or opens:
            self.behind = None
            return None
        self.builder.stray(self.base + place, self.base + match.end(), match.group())
        self.position = match.end()
        return True

    def _blank_in_section(self, place: int) -> bool | None:
        """Takes white space before a section's closer or next call as markup; None where it is text.

        Args:
            place: where the white space ends.
        """
        buffer, node = self.buffer, self.node
        if place - self.position > MAX_TOKEN:
            self.behind = None
            return None
        if not self.final and (place == len(buffer) or node.opener_beginnings.match(buffer, place)):
            return False
        if not node.opener.match(buffer, place):
            return None
        self.position = place
        return True

    def _opens(self, place: int) -> bool | None:
        """Whether an island opens at a place; None where more text has to come to tell."""
        if self.among is not None and self.among.governs(self.node):
            return self.among.opens(self, place)
        return self.node.opener.match(self.buffer, place) is not None

    def _give_text(self, start: int, end: int) -> None:
        text, offset = self.buffer[start:end], self.base + start
        if offset < 0:
            text, offset = text[-offset:], min(0, self.base + end)
        if text:
            if self.node.skipping:
                self.builder.skipped(text, offset)
            else:
                self.builder.text(text, offset)

    # Tokens

    def _token(self) -> bool:
        buffer, position, node = self.buffer, self.position, self.node
        match = node.token.match(buffer, position)
        if not self.final and len(buffer) - position <= MAX_TOKEN + 64:
            # The tail may still become a token, or a longer one.
            if node.beginnings.match(buffer, position):
                return False
            if match is None and not node.exact and not buffer[position:].strip():
                return self._wait_blank()
        if match is None:
            return self._payload_or_mismatch()
        group = match.lastgroup
        assert group is not None
        step = node.steps[group]
        start, end = match.span(group)
        if end - start > MAX_TOKEN or (self.island >= 0 and end - self.island > MAX_ISLAND):
            return self._mismatch()
        if (node.accepts_text and self.island < 0) and (
            "call" in step.before or start - position > MAX_TOKEN
        ):
            return self._to_text()
        text = match.group(group)
        if is_loose(step.terminal, text):
            strict = as_strict(step.terminal, text)
            is_key = step.node.takes_colon or step.kind == "literal"
            code = code_of(step.terminal, text, is_key=is_key)
            self.builder.requoted(code, self.base + start, self.base + end, strict)
            text = strict if step.leaf else text
        if step.kind == "same" and not self.builder.repeats(step.terminal.name, text):
            return self._mismatch()
        if step.leaf == "key" and begins_call(self, text):
            self.step_back()
            return self._mismatch()
        short = self.island < 0 and step.kind == "literal" and step.weight < SHORT
        short = short and not step.after  # what closed stays closed
        self.back = (start, node, self.last_end, self.previous) if short else None
        self.position = end
        self._take(step, text, start, end, match)
        return True

    def pass_over(self, step: Step) -> None:
        """Does what a token that was put in does: it closes, and leads on."""
        for role in (*step.before, *step.after):
            self.close(role, self.last_end)
        self.back = None
        self.node = step.node
        self.previous = step

    def to_text(self) -> None:
        """Reads text from here on."""
        self.run = self._text

    def _to_text(self) -> bool:
        """Ends a call that text, or the next call, follows without a closer."""
        closed, stack = self.node.after_text
        for role in closed:
            self.close(role, self.last_end)
        self.node = self.node.machine.node(stack)
        self.run = self._text
        return True

    def _wait_blank(self) -> bool:
        if self.island < 0:
            # Where text may follow, the white space is a part of it.
            if not self.node.accepts_text:
                self.position = len(self.buffer)
        elif len(self.buffer) - self.island > MAX_ISLAND:
            return self._mismatch()
        return False

    def _take(self, step: Step, text: str, start: int, end: int, match: re.Match[str]) -> None:
        """Does what a token does: closes, opens, fills a role, moves on."""
        builder, base = self.builder, self.base
        for role in step.before:
            self.close(role, self.last_end)
        if self.unit < 0 or step.opens:
            self.unit = base + start
        if step.opens:
            builder.open(step.opens, base + start)
        self._fill(step, text, base + start, match)
        if builder.argument_start < 0 and self.called and not step.leaf:
            builder.token_start = base + start
        self.last_end = base + end
        if self.island >= 0 and not self.called and self._ends_nameless(step):
            self._give_back_nameless()
            return
        for role in step.after:
            self.close(role, self.last_end)
        self.node = node = step.node
        self.previous = step
        if self.island >= 0:
            self._perhaps_commit(step, text)
        if node.accepts_text and not builder.has_draft:
            self._island_done(node)

    def _fill(self, step: Step, text: str, start: int, match: re.Match[str]) -> None:
        """Hands on the roles that a token, or a named group in it, fills."""
        if step.terminal.is_fence:
            self.builder.last_fence = text
        if step.terminal.is_mark:
            self.builder.last_mark = marks.word(text)
        found = [(step.leaf, text)] if step.leaf else []
        for group, role in step.terminal.groups:
            value = match.group(group)
            if value is not None:
                found.append((role, value))
        for role, value in (*step.constants, *found):
            self.builder.leaf(role, value, start, self.unit)
            self.called = self.called or role == "name"

    def _island_done(self, node: Node) -> None:
        """Returns to text after an island, or into a section."""
        # A short section opener is evidence only together with a call or its closer.
        short = node.skipping and self.position - self.island < SECTION_EVIDENCE
        if self.island >= 0 and not short:
            self._commit()
        if self.island < 0:
            self.run = self._text

    def _ends_nameless(self, step: Step) -> bool:
        """Whether a call ends here, or where text follows, that names no tool."""
        node = step.node
        if "call" in step.after:
            return True
        return node.accepts_text and not self.builder.has_draft and "call" in node.after_text[0]

    def _give_back_nameless(self) -> None:
        """Gives an object that names no tool back as text, whole."""
        self.island_payload = True
        self._mismatch()

    def _perhaps_commit(self, step: Step, text: str) -> None:
        if not self.called:
            return
        builder = self.builder
        if not builder.has_draft:
            self._commit()
        elif (
            step.leaf != "name"
            and "name" not in dict(step.constants)
            and not any(role == "name" for _, role in step.terminal.groups)
        ):
            distinctive = not step.leaf and len(text.strip()) >= 3
            if distinctive or step.kind == "same" or builder.delimited_by(step):
                self._commit()

    def _commit(self) -> None:
        if self.among is not None:
            self.among.vouch(self)
        self.island = -1
        self.builder.commit()

    def close(self, role: str, end: int) -> None:
        """Closes a call or a section that ended at an offset."""
        if role == "call" and self.island >= 0 and self.called:
            self._commit()  # taking the island back would leave the call, and read it once more
        self.builder.close(role, end)
        if role in _ISLANDS:
            self.behind = self.builder.last_name
        if role == "call":
            self.unit = -1
            self.called = False

    def _mismatch(self, *, in_payload: bool = False) -> bool:
        """Gives an uncertain island back as text, or mends or ends a certain call."""
        builder = self.builder
        self.scanner = self.raw = None
        self.run = self._token
        opener = self.buffer[self.island : self.position] if self.island >= 0 else ""
        fenced = self.may_be_fenced and len(opener.strip()) >= FENCED and not self.island_payload
        if fenced and not (self.called or in_payload):
            skipped = skip_fence(self)
            if skipped is not None:
                self.may_be_fenced = not skipped
                return skipped
        is_whole = self.island < 0 or (len(opener.strip()) >= FENCED and not self.island_payload)
        if not in_payload and is_whole and (mended := mend_envelope(self)) is not None:
            return mended
        if self.island >= 0:
            builder.rewind()
            resume = max(self.position, self.island + 1) if self.island_payload else self.island + 1
            self.node = self.island_node
            if self.among is not None and not self.among.in_section:
                if self.among.again(self, self.island, resume):
                    return True
                resume = self.island + 1
            start, self.island = self.island, -1
            self._give_text(start, resume)
            self.position = resume
        else:
            cut = self.final and self._is_cut()
            if cut or any(terminal.kind == "same" for _, terminal in self.node.tokens):
                self.step_back()
            if cut:
                # A closer that the end of the text cut: markup, not text.
                if not close_by_stop(self):
                    self._cut_at(len(self.buffer))
                return True
            mended = mend(self)
            if mended is not None:
                return mended
            if not in_payload:
                # White space before the place may be consumed already: it is markup in any case.
                self.position = _SPACE.match(self.buffer, self.position).end()  # type: ignore[union-attr]
            builder.broken(self.base + self.position, self.last_end)
            self.node = self.start_node
        self.called = False
        self.unit = -1
        self.run = self._text
        return True

    def _is_cut(self) -> bool:
        """Whether the text ends in the beginning of markup, from here or from a short literal on."""
        if cut_here(self, self.node, self.position):
            return True
        return self.back is not None and cut_here(self, self.back[1], self.back[0])

    def step_back(self) -> None:
        """Takes a short literal back: what follows shows that it belongs to something else."""
        if self.back is not None:
            self.position, self.node, self.last_end, self.previous = self.back
            self.back = None

    def _cut_at(self, end: int) -> None:
        """Ends the call because the text ends inside its markup."""
        cut_call(self, root_open=is_json(self.node))
        self.position = end
        self.node, self.run = self.start_node, self._text
        self.called, self.unit = False, -1

    # Payloads

    def _payload_or_mismatch(self) -> bool:
        buffer, position, node = self.buffer, self.position, self.node
        start = position if node.exact else _SPACE.match(buffer, position).end()  # type: ignore[union-attr]
        for step in node.payloads:
            name = step.terminal.name
            begin = start if name in RAW_LIKE else _SPACE.match(buffer, position).end()  # type: ignore[union-attr]
            if begin == len(buffer):
                if not self.final:
                    return False
                if node.end is not None:
                    break  # the grammar lets the text end before the payload
            if step.begins.match(buffer, begin):
                return self.enter(step, begin)
            if (
                name == "PYTHON_ARGUMENTS"
                and not self.final
                and _START_BEGINNINGS.match(buffer, begin)
            ):
                return False
        if start == len(buffer) and (
            self.final or (node.accepts_text and self.island < 0 and start - position <= MAX_TOKEN)
        ):
            return False
        if node.accepts_text and self.island < 0:
            return self._to_text()
        return self._mismatch()

    def enter(self, step: Step, start: int, *, decided: bool = False) -> bool:
        """Begins a payload at an index; `decided` says that it is no raw text instead."""
        builder = self.builder
        if self.island >= 0:
            if start - self.island > MAX_ISLAND and not self.island_payload:
                return self._mismatch()
            self.island_payload = True
        for role in step.before:
            self.close(role, self.last_end)
        if self.unit < 0:
            self.unit = self.base + start
        self.back = None
        self.position = start
        self.step = step
        name = step.terminal.name
        if name in RAW_LIKE:
            return self.enter_raw(step, start)
        if step.otherwise is not None and not decided:
            self._commit_payload(step)
            self.run = Undecided(self, step, step.otherwise, start).run
            return True
        builder.scanned.begin(
            step.leaf, self.base + start, self.unit, may_be_arguments=self.node.takes_arguments
        )
        self._commit_payload(step)
        # The fast reader knows the default depth alone.
        if name in STRICT_JSON and self.limits_depth >= MAX_DEPTH:
            whole = read_whole(self.buffer, start, object_only=name == "JSON_OBJECT")
            guide = builder.guide(step.leaf)
            if whole is not None and guide is not None and needs_typing(whole[0], guide):
                whole = None
            if whole is not None and self._goes_on(step.node, whole[1]):
                value, end = whole
                builder.scanned.take_whole(value, self.buffer[start:end], self.base + end)
                return self.leave(end)
        self.scanner = self._scanner(step, name)
        self.run = self._scan
        return True

    def enter_raw(self, step: Step, start: int) -> bool:
        """Begins a raw payload at an index of the buffer."""
        self.step = step
        raw_end = self.node.end_of_raw(step)
        before = self.previous is not None and "\n" in self.previous.terminal.trail
        self.builder.raws.begin(
            step.leaf,
            self.base + start,
            self.unit,
            before=before,
            closes_line=raw_end.closes_line,
            typed=step.terminal.name == "RAW",
        )
        self._commit_payload(step)
        self.raw = RawReader(self, raw_end, start)
        if self.among is not None and step.leaf == "reasoning":
            self.raw.others = self.among.other_ends(self, step.node)
        self.run = self.raw.run
        return True

    def _goes_on(self, node: Node, end: int) -> bool:
        """Whether what stands behind a whole payload leaves no doubt that it ends there."""
        place = _SPACE.match(self.buffer, end).end()  # type: ignore[union-attr]
        if place == len(self.buffer):
            return self.final
        if node.accepts_text or self.builder.strict:
            return True
        tokens, anchors = node.token, node.repairs.pattern
        return bool(tokens.match(self.buffer, place) or anchors.match(self.buffer, place))

    def _scanner(self, step: Step, name: str) -> Scanner | JsonPayload:
        """Makes the scanner of a payload: JSON that may be an object is mended as it comes."""
        if self.builder.strict or name not in JSON_LIKE:
            return scanner_for(step.terminal, self.builder.spec(), self.limits_depth)
        return JsonPayload(
            step,
            self.start_node,
            self.builder.guide(step.leaf),
            object_only=name not in ANY_JSON,
            backticks=name == "TEMPLATE_OBJECT",
            max_depth=self.limits_depth,
            careful=self.island >= 0 and not self.called,
        )

    def _commit_payload(self, step: Step) -> None:
        outside = step.leaf in ("reasoning", "content", "text")
        if self.island >= 0 and step.leaf and (self.called or outside):
            self._commit()

    def _scan(self) -> bool:
        scanner = self.scanner
        assert scanner is not None
        out: list[str] = []
        if isinstance(scanner, JsonPayload):
            return self._scan_mending(scanner, out)
        self.position = scanner.feed(self.buffer, self.position, out)
        while scanner.failed and self._take_control(scanner, out):
            # What stands before a mended character was given out before the report of it.
            self.position = scanner.feed(self.buffer, self.position, out)
        if out:
            self.builder.scanned.take("".join(out))
        if scanner.done:
            self.builder.scanned.end(self.base + self.position)
            return self.leave(self.position)
        if scanner.failed:
            return self._payload_failed(scanner.failure)
        return False

    def _scan_mending(self, scanner: JsonPayload, out: list[str]) -> bool:
        """Reads on in a JSON payload that is mended as it comes."""
        position = self.position
        end = scanner.feed(self.buffer, position, out, base=self.base, final=self.final)
        self.position = end
        scanned = self.builder.scanned
        if out:
            scanned.take("".join(out))
        if scanner.failed:
            return self._payload_failed(scanner.failure)
        if not scanner.done:
            return False
        if scanner.unread:
            # What was looked at behind the payload is read once more, as what it is.
            self.position = position - len(scanner.unread)
            if self.position < 0:
                self.base += self.position
                self.buffer = scanner.unread + self.buffer[position:]
                self.position = 0
        scanned.mend(scanner, self.base + self.position)
        scanned.end(self.base + self.position)
        return self.leave(self.position)

    def _take_control(self, scanner: Scanner, out: list[str]) -> bool:
        """Escapes a raw control character inside a JSON string: a call's text stays inside it."""
        position = self.position
        character = self.buffer[position : position + 1]
        if not character or character >= " " or not isinstance(scanner, JsonScanner):
            return False
        before = "".join(out)
        if not scanner.take_control(character, out):
            return False
        if before:
            self.builder.scanned.take(before)
            del out[:-1]
        self.builder.scanned.control(self.base + position, character)
        self.position = position + 1
        return True

    def _payload_failed(self, reason: str) -> bool:
        assert self.scanner is not None
        out: list[str] = []
        self.scanner.finish(out)
        if self.island < 0:
            self.builder.scanned.fail("".join(out), reason, self.base + self.position)
            self.last_end = self.base + self.position
        return self._mismatch(in_payload=True)

    def leave(self, end: int) -> bool:
        """Ends a payload and does what the grammar does then."""
        step = self.step
        assert step is not None
        self.position = end
        self.last_end = self.base + end
        self.scanner = self.raw = None
        self.previous = step
        if self.island >= 0 and not self.called and self._ends_nameless(step):
            self._give_back_nameless()
            return True
        for role in step.after:
            self.close(role, self.last_end)
        self.node = step.node
        in_text = self.node.accepts_text and not self.builder.has_draft
        self.run = self._text if in_text else self._token
        return True

    # The end of the text

    def _finish(self) -> None:
        """Ends whatever is open when the text ends."""
        builder = self.builder
        while True:
            self.steps += 1
            if self.raw is not None:
                assert self.step is not None
                self.raw.finish(self.step)
            elif self.run == self._scan:
                self._finish_scan()
            elif (
                self.run == self._token
                and self.island >= 0
                and not (self.called and builder.delimited)
            ):
                self._mismatch()
                while self.run():
                    self.steps += 1
            else:
                break
        if self.run == self._token:
            self._finish_token()
        elif self.node.closes_group and self.node.end is not None:
            for role in self.node.end:
                self.close(role, self.last_end)
        elif builder.group is not None:
            close_by_stop(self)
        builder.finish(self.base + len(self.buffer), missing_closers(self, self.node))

    def cut(self, node: Node, *, known: bool = True) -> None:
        """Ends the call because the text ends inside a raw payload before `node`.

        Args:
            node: what stands behind the payload.
            known: whether the payload ends where the text does, not in a closer that was cut.
        """
        path = node.repairs.to_end if known and not self.builder.raws.left_out else None
        closers = "".join(text_of(step, self) for step in path or ())
        self.builder.cut(self.base + len(self.buffer), closers=closers)
        self.raw = None
        self.run = self._text

    def _finish_scan(self) -> bool:
        """Ends a payload with the text; true where an island was none and all was read again."""
        assert self.scanner is not None
        out: list[str] = []
        whole = self.scanner.finish(out)
        builder = self.builder
        if self.island >= 0:
            self.position = len(self.buffer)
            self._mismatch()
            while self.run():
                self.steps += 1
            return True
        if out:
            builder.scanned.take("".join(out))
        if isinstance(self.scanner, JsonPayload):
            builder.scanned.mend(self.scanner, self.base + len(self.buffer))
        if whole:
            builder.scanned.end(self.base + len(self.buffer))
            self.leave(len(self.buffer))
        else:
            assert self.step is not None
            builder.scanned.cut(
                self.base + len(self.buffer),
                self.scanner if isinstance(self.scanner, JsonPayload) else None,
                closers_behind(self, self.step.node),
            )
            self.run = self._text
        return False

    def _finish_token(self) -> None:
        builder = self.builder
        if self.island >= 0:
            self._commit()
        if self.node.end is not None:
            builder.ended_open = True
            for role in self.node.end:
                self.close(role, self.last_end)
            rest = self.position
            if rest < len(self.buffer):
                self.node = self.start_node
                self._give_text(rest, len(self.buffer))
        else:
            back = self.back
            if back is not None and back[1].end is None and cut_here(self, back[1], back[0]):
                self.step_back()
            if close_by_stop(self):
                return
            brackets = any(terminal.text.strip() in ("}", "]") for _, terminal in self.node.tokens)
            cut_call(self, root_open=brackets or is_json(self.node))
