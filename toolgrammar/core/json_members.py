"""Reads what stands between the values of a JSON text that may be damaged: keys, commas, comments."""

from __future__ import annotations

from typing import Final

from toolgrammar.core.json_frames import Frame
from toolgrammar.core.json_look import CLOSING_QUOTES, ODD_SPACES, More, Undecided
from toolgrammar.core.json_plain import Plain
from toolgrammar.core.json_repairs import OpenerRun
from toolgrammar.core.json_runs import bare_key, other_key
from toolgrammar.core.json_state import AFTER, COMMENT, ITEM, KEY, START, VALUE
from toolgrammar.core.json_tokens import space_run
from toolgrammar.values.patterns import anywhere, late

_ODD_SPACE = late(f"[{ODD_SPACES}]+")
_KEY_AND_COLON = late(r'"([^"\\\x00-\x1f\ud800-\udfff]*)"[ \t\n\r]*:[ \t\n\r]*')
_DOUBLED_KEY = late(r'""[^"\\\s:,{}\[\]]')
_OPENERS = anywhere(r"[{\[(]*+")
_BRACES = anywhere(r"\{*+")
_LEAST_BRACES: Final = 8
_OTHER_OPENERS = anywhere(r"[\[(]*+")
_SPACES: Final = " \t\n\r"
_CLOSERS: Final = "}])"
_MOST_QUOTES: Final = 4
"""Quotes that stand once more behind a key."""


class Members(Plain):
    """Reads keys, colons, commas, closers, white space and comments."""

    __slots__ = ("done", "return_to")

    done: bool
    """Whether the value is whole."""
    return_to: int
    """The state behind a comment."""

    def between(self) -> bool:
        """Takes what stands between tokens; False where a token begins."""
        text, start = self.text, self.pos
        character = text[start]
        if character in _SPACES:
            self.pos = space_run.match(text, start).end()
            if self.state != START:
                self.hold(text[start : self.pos], start)
            return True
        if character == "/" or character == "#":  # noqa: PLR1714 - the hottest test
            return self._begins_comment(character)
        if character == "\\":
            if start + 1 == len(text) and not self.final:
                raise More
            if text[start + 1 : start + 2] in ("n", "r", "t"):
                self.repair("space", start, start + 2, "")
                self.pos = start + 2
                return True
            return False
        odd = _ODD_SPACE.match(text, start)
        if odd is not None:
            self.repair("space", start, odd.end(), "")
            self.pos = odd.end()
            return True
        return False

    def _begins_comment(self, character: str) -> bool:
        start = self.pos
        if character == "/":
            if start + 1 == len(self.text) and not self.final:
                raise More
            character = self.text[start : start + 2]
            if character not in ("//", "/*"):
                return False
        self.comment = (self.base + start, character)
        self.pos = start + len(character)
        self.return_to, self.state = self.state, COMMENT
        return True

    def read_comment(self) -> None:
        """Goes on in a comment."""
        begun, kind = self.comment
        ends = ("*/",) if kind == "/*" else ("\n", "\r")
        found = [place for end in ends if (place := self.text.find(end, self.pos)) >= 0]
        if not found:
            # The first half of `*/` may have come.
            self.pos = len(self.text) - (kind == "/*" and self.text.endswith("*", self.pos))
            if self.pos < len(self.text) and not self.final:
                raise More
            self.pos = len(self.text)
            return
        self.pos = min(found) + (2 if kind == "/*" else 0)
        self.repair("comment", begun - self.base, self.pos, "")
        self.state = self.return_to

    def read_key(self) -> None:
        """Begins a key, or closes an object."""
        text, start = self.text, self.pos
        character = text[start]
        if character == '"':
            self._quoted_key(start)
        elif character in _SPACES:
            self.between()
        elif character == "}":
            self.closer(character)
        elif character == ",":
            self.stray_commas()
        elif not self.between():
            self._other_key(character)

    def _other_key(self, character: str) -> None:
        """Takes what stands where a key in double quotes should."""
        text, start = self.text, self.pos
        if self.is_free() and (self.mends() or self.damaged_members()):
            return
        if character in CLOSING_QUOTES:
            if not self.plain_key(other_key.match(text, start), "quote-style"):
                self._begin_key(character, 1)
        elif self.stopped():
            return
        elif character in "])":
            self.closer(character)
        elif character in "{[(":
            self._opener_for_key(character)
        elif character in ":=":
            self.leave_out(start, start + 1)
            self.pos = start + 1
        elif not self.plain_key(bare_key.match(text, start), "bare-key"):
            self.insert_comma()
            self.begin_bare_key()

    def _begin_key(self, quote: str, width: int) -> None:
        self.insert_comma()
        self.key_from = (len(self.held), self.base + self.pos, len(self.repairs))
        self.open_string(quote, key=True, width=width)

    def _quoted_key(self, start: int) -> None:
        if self.is_free() and (self.mends() or self.members() or self.damaged_members()):
            return
        match = _KEY_AND_COLON.match(self.text, start)
        if match is not None and not self.doubled:
            self.insert_comma()
            self.key_from = (len(self.held), self.base + start, len(self.repairs))
            self.hold(match.group(), start)
            self.stack[-1].key = match[1]
            self.pos = match.end()
            self.state = VALUE
            return
        if self.text.startswith('""', start) or start + 1 == len(self.text):
            if start + 3 > len(self.text) and not self.final:
                raise More
            first = len(self.stack) == 1 and not self.stack[0].members
            if first and _DOUBLED_KEY.match(self.text, start):
                self.doubled = True
        doubled = self.doubled and self.text.startswith('""', start)
        self._begin_key('"', 2 if doubled else 1)

    def _opener_for_key(self, character: str) -> None:
        """Takes brackets that open where a key should stand."""
        in_array = len(self.stack) > 1 and not self.stack[-2].is_object
        if character == "{" and in_array:
            if self.stops is None and self._open_many():
                return
            self.close_missing(len(self.stack) - 2)
            self.state = ITEM if self.comma is not None else AFTER
            return
        end = self.pos + 1
        if self.stops is None:
            run = _OTHER_OPENERS.match if in_array else _OPENERS.match
            end = run(self.text, self.pos).end()
        self.leave_out(self.pos, end)
        self.pos = end

    def _open_many(self) -> bool:
        """Closes an empty object and opens another for each brace of a run; tells if it does."""
        array, frame = self.stack[-2:]
        count = _BRACES.match(self.text, self.pos).end() - self.pos
        if count < _LEAST_BRACES or frame.members or frame.dropped or self.held:
            return False
        self.stretches.append(OpenerRun(self.base + self.pos, count, array.path, array.members))
        self.strict = False
        self.out.append("},{" * count)
        array.members += count
        self.stack[-1] = Frame("{", frame.guide, array.place())
        self.pos += count
        return True

    def read_colon(self) -> None:
        """Reads what stands between a key and its value."""
        character = self.text[self.pos]
        if character == ":":
            self.hold(":", self.pos)
            self.pos += 1
            self.state = VALUE
        elif character == "=":
            if self.pos + 1 == len(self.text) and not self.final:
                raise More
            width = 2 if self.text.startswith("=>", self.pos) else 1
            self.repair("colon", self.pos, self.pos + width, ":")
            self.hold(":", self.pos)
            self.pos += width
            self.state = VALUE
        elif self.between() or self.stopped():
            return
        elif character in ",}])":
            self.leave_out_key()
        elif (end := self._doubled_end(character)) > self.pos:
            self.repair("doubled-quotes", self.pos, end, "")
            self.pos = end
        else:
            self.repair("colon", self.pos, self.pos, ":")
            self.hold(":", self.pos)
            self.state = VALUE

    def _doubled_end(self, quote: str) -> int:
        """Gives where quotes end that stand once more behind a key, before its colon; else `pos`."""
        start = end = self.pos
        if quote not in CLOSING_QUOTES:
            return start
        self.look(start)
        try:
            while end - start < _MOST_QUOTES and self.at(end) == quote:
                end += 1
            colon = self.blank(end)
            if self.at(colon) != ":":
                return start
            touches = self.text[start - 1 : start] == quote
            return end if touches or self.begins_value(self.blank(colon + 1)) else start
        except Undecided:
            return start

    def read_after(self) -> None:
        """Reads the comma or the closer after a value."""
        start = self.pos
        character = self.text[start]
        frame = self.stack[-1]
        if character == ",":
            self.note_comma(start)
            end = space_run.match(self.text, start + 1).end()
            if end > start + 1:
                self.held.append(self.text[start + 1 : end])
            self.pos = end
            self.state = KEY if frame.is_object else ITEM
            frame.begun = False
            frame.key = ""
        elif character in _CLOSERS:
            self.closer(character)
        elif self.between() or self.stopped():
            return
        elif character == ";":
            repair = self.repair("comma", start, start + 1, ",", join=False)
            self.note_comma(start)
            self.put_in = repair
            self.pos = start + 1
            self.state = KEY if frame.is_object else ITEM
        elif frame.is_object:
            frame.key = ""
            self.state = KEY
        else:
            self.state = ITEM

    def stopped(self) -> bool:
        """Ends the value where something stands that ends it in any case."""
        if self.stops is None or not self.stops(self.text, self.pos):
            return False
        self.end(self.out, closed=True, here=True)
        self.done = True
        return True

    def leave_out_key(self) -> None:
        """Leaves out the key that was read: no value follows."""
        held, start, repairs = self.key_from
        del self.held[held:]
        del self.repairs[repairs:]
        self.leave_out(start - self.base, self.pos)

    def begin_value(self) -> None:
        """Gives out what was held: a value begins."""
        if self.stack:
            frame = self.stack[-1]
            if frame.is_object:
                if frame.key in frame.seen:
                    start = self.key_from[1] - self.base
                    strict = self.strict
                    self.repair("duplicate-key", start, start, join=False)
                    self.strict = strict
                frame.seen.add(frame.key)
            else:
                self.insert_comma()
            frame.members += 1
            frame.begun = True
        self.release()

    def value_ended(self) -> None:
        """Goes on after a value."""
        self.state = AFTER
        self.kept = len(self.repairs)
        if not self.stack:
            self.done = True
