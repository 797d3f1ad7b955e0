"""Recovers one JSON value from a text, at once (`recover_json`) or in chunks (`JsonParser`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgrammar.core.payloads.json.guide import guide_of
from toolgrammar.core.payloads.json.other_scalars import scalar_of
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.json.whole import read_all
from toolgrammar.core.payloads.mended.recover import RecoveringScanner, repairs_of
from toolgrammar.core.payloads.mended.repairs import Repair, judge_duplicates
from toolgrammar.core.trust.mended_values import doubt_quotes, is_endless
from toolgrammar.recovery.growing_value import GrowingValue
from toolgrammar.recovery.json_escaped import Unescaper
from toolgrammar.recovery.json_options import checked_codes, checked_end, checked_schema
from toolgrammar.recovery.json_rest import Rest, Text
from toolgrammar.recovery.json_result import RecoveredJson
from toolgrammar.recovery.json_start import ESCAPED, MEMBER, Start
from toolgrammar.tools.fits import fits
from toolgrammar.tools.json_tokens import ANY_HALF, HALVES
from toolgrammar.values.patterns import late
from toolgrammar.values.schemas import resolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.core.payloads.mended.stretches import Stretch
    from toolgrammar.recovery.json_options import End
    from toolgrammar.values.json_types import AnySchema

_BATCH: Final = 4096
"""The number of characters that are collected and read together, unless a view is requested."""
_SPACES: Final = " \t\n\r"
_SURROGATE = late(rf"[{HALVES}]|{ANY_HALF}")
_MAY_BE_WHOLE = late(r"[0-9](?:\.0|[eE])")
"""A part of a number such as `5.0`, which is 5 if the schema asks for an integer."""


def recover_json(
    text: str,
    schema: AnySchema | None = None,
    *,
    end: End = "open",
    allow: Iterable[str] = (),
) -> RecoveredJson:
    """Returns the JSON value of a text, mended where it is damaged; never raises for a text.

    Args:
        text: strict or damaged JSON, with or without prose or a fence around it.
        schema: the JSON Schema of the value; it guides the repairs, and `executable` judges it.
        end: "open" where the text may have been cut; "closed" where a marker followed that
            ends the value.
        allow: codes of doubts that leave the value executable.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `end` is another word, or a code in `allow` is not a doubt.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    # A wrong word or code raises for any text.
    checked_end(end)
    strict = _strictly(text, checked_schema(schema))
    if strict is not None:
        checked_codes(allow)
        return strict
    parser = JsonParser(schema, allow=allow)
    parser.feed(text)
    return parser.close(end)


def _strictly(text: str, schema: AnySchema | None) -> RecoveredJson | None:
    """Returns the result of strict JSON that holds nothing to be told; None for all else."""
    body = text.strip(_SPACES)
    # A number or a word alone may be a part of one that was cut: the parser judges those.
    if body[:1] not in ("{", "["):
        return None
    whole = read_all(body)
    if whole is None:
        return None
    # Half of a surrogate pair can't be written as UTF-8, which is told.
    if (not body.isascii() or "\\u" in body) and _SURROGATE.search(body):
        return None
    if not _fits(whole[0], schema) or (schema and _MAY_BE_WHOLE.search(body)):
        return None
    return RecoveredJson(whole[0], "complete", (), executable=True)


class JsonParser:
    """Recovers one JSON value from the deltas of a stream.

    `value` is the value as far as it is certain: it only grows, but for a key written twice.
    The result is that of `recover_json` for the joined deltas.
    """

    def __init__(self, schema: AnySchema | None = None, *, allow: Iterable[str] = ()) -> None:
        self._schema = checked_schema(schema)
        self._guide = guide_of(schema)
        self._allow = checked_codes(allow)
        self._out: list[str] = []  # strict JSON, in pieces
        self._length = 0
        self._scanner: RecoveringScanner | None = None
        self._start = Start(may_be_object=self._may_be_object())
        self._before: list[Repair] = []  # prose or a fence before the value
        self._unescaper: Unescaper | None = None
        self._begin = 0  # where the value begins
        self._end = 0  # where it ended
        self._rest: Rest | None = None
        self._result: RecoveredJson | None = None
        self._waiting: list[str] = []
        self._waits = 0  # characters in `_waiting`
        self._taken = 0  # pieces of `_out` that `take` has emitted
        self._growing = GrowingValue()
        self._seen = 0  # pieces of `_out` that `_growing` has taken
        self._literal: tuple[str, str] | None = None  # a literal at the end, and its key
        self._view: Any = None

    def feed(self, delta: str) -> None:
        """Accepts the next piece of the text.

        Raises:
            RuntimeError: the parser is closed.
        """
        if self._result is not None:
            raise RuntimeError("feed after close: make a new JsonParser for each value")
        if not isinstance(delta, str):
            raise TypeError(f"a delta is a str, got {type(delta).__name__}")
        self._waiting.append(delta)
        self._waits += len(delta)
        if self._waits >= _BATCH:
            self._flush()

    def close(self, end: End = "open") -> RecoveredJson:
        """Ends the text and returns the result; closing again returns the same.

        Args:
            end: "open" where the text may have been cut; "closed" where a marker followed.

        Raises:
            ValueError: `end` is another word.
        """
        closed = checked_end(end) == "closed"
        if self._result is None:
            self._flush()
            self._result = self._closed(closed=closed)
        return self._result

    @property
    def result(self) -> RecoveredJson:
        """The result, once the parser is closed."""
        if self._result is None:
            raise RuntimeError("no result before close()")
        return self._result

    @property
    def value(self) -> Any:
        """The value as far as it is certain; None before it begins."""
        if self._result is not None:
            return self._result.value
        self._flush()
        if self._scanner is None:
            return None
        fresh, literal = self._out[self._seen :], self._scanner.literal()
        if fresh or literal != self._literal:
            self._seen += len(fresh)
            self._growing.feed("".join(fresh))
            self._literal = literal
            # A literal at the end may still be text: it is shown, and not yet kept.
            member = None if literal is None else (literal[0], json.loads(literal[1]))
            self._view = self._growing.view(member)
        return self._view

    def take(self) -> str:
        """Returns the strict JSON that became certain since it was last asked for.

        The pieces of all calls, the last of them after `close`, join to the JSON of the value.
        """
        self._flush()
        fresh = "".join(self._out[self._taken :])
        self._taken = len(self._out)
        return fresh

    # Feeding

    def _flush(self) -> None:
        """Reads the deltas that came since somebody last looked."""
        if self._waiting:
            delta = "".join(self._waiting)
            self._waiting.clear()
            self._waits = 0
            self._feed(delta)

    def _feed(self, delta: str) -> None:
        if self._scanner is not None:
            self._read(delta)
            return
        self._length += len(delta)
        if self._start.feed(delta):
            self._begin_value()

    def _may_be_object(self) -> bool:
        guide = self._guide
        return guide is None or guide.types is None or "object" in guide.types

    def _begin_value(self) -> None:
        """Begins to read the value where it was found."""
        start = self._start
        text, offset = start.text, start.offset
        self._length = offset
        self._begin = offset
        self._scanner = RecoveringScanner(self._guide, around=Text())
        if offset and text[:offset].strip(_SPACES):
            around = Repair("around", 0, offset, "$")
            # By its edits a result says what to leave out, so that strict JSON is left.
            around.edit(0, offset, "")
            self._before.append(around)
        if start.kind == ESCAPED:
            self._unescaper = Unescaper(offset)
            self._length = 0  # from here on, offsets count in the unescaped text
        elif start.kind == MEMBER:
            self._scanner.open_implied(offset, self._out)  # as in `"a": 1}`, without the `{`
        self._read(text[offset:])

    def _read(self, text: str, *, final: bool = False) -> None:
        scanner = self._scanner
        assert scanner is not None
        if self._unescaper is not None:
            text = self._unescaper.feed(text, final=final)
        if self._rest is not None:
            self._rest.feed(text, final=final)
        elif not scanner.failed:
            position = scanner.feed(text, 0, self._out, base=self._length, final=final)
            if scanner.done:
                over = scanner.unread + text[position:]
                self._end = self._length + len(text) - len(over)
                self._rest = Rest(self._end, is_object=self._out[0].startswith("{"))
                self._rest.feed(over, final=final)
        self._length += len(text)

    # The end

    def _closed(self, *, closed: bool) -> RecoveredJson:
        if self._scanner is None:
            opens = self._start.end()  # from here on `text` is the whole text
            found = self._scalar(closed=closed)
            if found is not None:
                return found
            if not opens:
                return self._nothing("refused")
            self._begin_value()
        scanner = self._scanner
        assert scanner is not None
        self._read("", final=True)
        if not scanner.done and not scanner.failed:
            scanner.end(self._out, closed=closed)
        if scanner.failure:
            return self._nothing("too-deep" if scanner.failure == TOO_DEEP else "unreadable")
        if scanner.unreadable:
            return self._nothing("unreadable")
        behind = self._rest.repairs if self._rest else ()
        # Of `[1, 2} 3]` and `[1, 2},` the bracket that was mended may have ended the value.
        in_line = self._rest.in_line if self._rest else None
        if in_line is not None and self._ends_in_mended_brackets(scanner.repairs):
            in_line.judge(doubt=True)
        repairs = [*self._before, *scanner.repairs, *behind]
        stretches = scanner.stretches
        if self._unescaper is not None:
            repairs += _repairs_of(stretches)
            stretches = []
        return self._judged(self._placed(repairs), stretches, truncated=scanner.truncated)

    def _ends_in_mended_brackets(self, repairs: Sequence[Repair]) -> bool:
        """Whether one of the brackets that end the value was mended."""
        text = "".join(self._out)
        closers = self._end - (len(text) - len(text.rstrip(_SPACES + "}]")))
        return any(each.code == "bracket" and each.end >= closers for each in repairs)

    def _scalar(self, *, closed: bool) -> RecoveredJson | None:
        """Reads a root string, number or literal."""
        text = self._start.text
        stripped = text.strip(_SPACES)
        if not stripped or stripped[0] in "{[":
            return None
        is_whole = read_all(stripped) is not None
        if not is_whole and stripped[0] == '"':
            scanner = JsonScanner()
            scanner.feed(stripped, 0, [])
            # More follows the string, as in `"a": 1`: it may be the key of an object without its
            # bracket.
            if (scanner.failed or scanner.done) and self._may_be_object():
                return None
        elif not is_whole:
            # A number or literal in another form, such as `True`; all else is prose.
            try:
                scalar = scalar_of(stripped, self._guide)
            except ValueError:
                return self._nothing("unreadable")
            if scalar is None or not scalar.code:
                return None
            is_whole = True
        reader = RecoveringScanner(self._guide, around=Text())
        position = reader.feed(text, 0, self._out, final=True)
        if not reader.done:
            reader.end(self._out, closed=closed or is_whole)
        if reader.failure:
            return self._nothing("unreadable")
        rest = Rest(position, is_object=False)
        rest.feed(text[position:], final=True)
        self._rest = rest
        # A string where an object is wanted, `"{\"a\": 1}"`, was read as what it holds.
        for repair in reader.repairs:
            if (
                repair.code == "schema-type"
                and not reader.truncated
                and "".join(self._out)[:1] in "{["
            ):
                repair.become("decoded", doubt=repair.doubt)
                repair.edit(repair.start, repair.end, "".join(self._out))
        truncated = reader.truncated and not is_whole
        if not "".join(self._out):
            return self._nothing("refused")
        return self._judged([*reader.repairs, *rest.repairs], truncated=truncated)

    def _placed(self, repairs: list[Repair]) -> list[Repair]:
        """Moves the repairs of an unescaped text to where they stand in the source."""
        unescaper = self._unescaper
        if unescaper is None:
            return repairs
        # One that stands for many comes as often as they did, and is moved once.
        for repair in {id(each): each for each in repairs[len(self._before) :]}.values():
            repair.move(unescaper.source(repair.start), unescaper.source(repair.end))
        end = unescaper.source(self._length)
        once = Repair("unescaped-once", self._begin, end, "$")
        once.edit(self._begin, end, "".join(self._out))
        return [*repairs, once]

    def _nothing(self, code: str) -> RecoveredJson:
        """Returns the result of a text without a value."""
        scanner = self._scanner
        place = scanner.offset if scanner is not None else 0
        if self._unescaper is not None:
            place = self._unescaper.source(place)
        diagnostic = Repair(code, place, place, "$").diagnostic()
        return RecoveredJson(None, "unreadable", (diagnostic,))

    def _judged(
        self,
        repairs: list[Repair],
        stretches: Sequence[Stretch] = (),
        *,
        truncated: bool,
    ) -> RecoveredJson:
        text = "".join(self._out)
        value = json.loads(text)
        doubled = judge_duplicates(repairs, text)
        doubt_quotes(repairs, value)
        told = any(each.code == "nonfinite" for each in repairs)
        # `1e999` stands for no word that was mended: only the value shows it.
        if not told and is_endless(value, text):
            repairs = [*repairs, Repair("nonfinite", self._begin, self._begin, "$")]
        doubts = {each.code for each in repairs if each.doubt}
        doubts.update(code for each in stretches for code in each.doubts)
        doubts -= self._allow
        status: Literal["complete", "repaired", "truncated"] = "complete"
        if truncated:
            status = "truncated"
        # A key that stands twice is not an edit: the text was strict JSON.
        elif stretches or len(repairs) > doubled:
            status = "repaired"
        executable = not truncated and not doubts
        executable = executable and _fits(value, self._schema)
        rest = self._rest.start if self._rest is not None else None
        if rest is not None and self._unescaper is not None:
            rest = self._unescaper.source(rest)

        def found() -> list[Repair]:
            every = repairs + _repairs_of(stretches)
            return sorted(every, key=lambda each: (each.start, each.end))

        return RecoveredJson.of_repairs(value, status, found, executable=executable, rest=rest)


def _repairs_of(stretches: Iterable[Stretch]) -> list[Repair]:
    return [repair for each in stretches for repair in repairs_of(each)]


def _fits(value: Any, schema: AnySchema | None) -> bool:
    if not schema:
        return schema is not False
    return fits(value, schema if isinstance(schema, bool) else resolved(schema))
