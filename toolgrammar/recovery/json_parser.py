"""Recovers one JSON value from a text that stands by itself: at once, or as it arrives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgrammar.core.json_duplicates import equal_duplicates, has_duplicates
from toolgrammar.core.json_guide import guide_of, resolved
from toolgrammar.core.json_recover import RecoveringScanner, repairs_of
from toolgrammar.core.json_repairs import MESSAGES, OpenerRun, Repair, single
from toolgrammar.core.json_whole import read_whole
from toolgrammar.core.json_words import scalar_of
from toolgrammar.core.mended_calls import doubt_quotes, is_endless
from toolgrammar.core.scan_json import JsonScanner
from toolgrammar.recovery.growing_value import GrowingValue
from toolgrammar.recovery.json_escaped import Unescaper
from toolgrammar.recovery.json_rest import Rest, follows_root
from toolgrammar.recovery.json_result import RecoveredJson
from toolgrammar.recovery.json_start import ESCAPED, MEMBER, Start
from toolgrammar.recovery.schema_check import satisfies
from toolgrammar.values.codes import CODES, DOUBTS
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.core.json_body_runs import BodyRun
    from toolgrammar.core.json_stretches import Stretch
    from toolgrammar.values.json_types import AnySchema

End = Literal["open", "closed"]

_BATCH: Final = 4096
"""Characters that wait to be read together while nobody looks: it saves most of the cost."""
_SPACES: Final = " \t\n\r"
_SURROGATE = late("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]")


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
        TypeError: `text` is no str.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    strict = _strictly(text, _checked_schema(schema))
    if strict is not None:
        _checked(allow)
        return strict
    parser = JsonParser(schema, allow=allow)
    parser.feed(text)
    return parser.close(end)


def _strictly(text: str, schema: AnySchema | None) -> RecoveredJson | None:
    """Gives the result of strict JSON that holds nothing to be told; None for all else."""
    body = text.strip(_SPACES)
    if body[:1] not in ("{", "["):
        return None
    whole = read_whole(body, 0)
    if whole is None or whole[1] != len(body) or has_duplicates(body, 0):
        return None
    if (not body.isascii() or "\\u" in body) and _SURROGATE.search(body):
        return None
    if not _fits(whole[0], schema):
        return None
    return RecoveredJson(whole[0], "complete", (), executable=True)


class JsonParser:
    """Recovers one JSON value from the deltas of a stream.

    `value` is the value as far as it is certain: it only grows, but for a key written twice.
    The result is that of `recover_json` for the joined deltas.
    """

    def __init__(self, schema: AnySchema | None = None, *, allow: Iterable[str] = ()) -> None:
        self._schema = _checked_schema(schema)
        self._guide = guide_of(schema)
        self._allow = _checked(allow)
        self._out: list[str] = []
        self._length = 0
        self._scanner: RecoveringScanner | None = None
        self._start = Start(may_be_object=self._may_be_object())
        self._before: list[Repair] = []
        self._unescaper: Unescaper | None = None
        self._begin = 0
        self._rest: Rest | None = None
        self._result: RecoveredJson | None = None
        self._waiting: list[str] = []
        self._waits = 0
        self._growing = GrowingValue()
        self._seen = 0
        self._literal: tuple[str, str] | None = None
        self._view: Any = None

    def feed(self, delta: str) -> None:
        """Takes the next piece of the text.

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
        """
        if self._result is None:
            if end not in ("open", "closed"):
                raise ValueError(f"end is 'open' or 'closed', got {end!r}")
            self._flush()
            self._result = self._closed(closed=end == "closed")
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
        scanner = self._scanner
        if scanner is None:
            return None
        fresh, literal = self._out[self._seen :], scanner.literal()
        if fresh or literal != self._literal:
            self._seen += len(fresh)
            self._growing.feed("".join(fresh))
            self._literal = literal
            member = None if literal is None else (literal[0], json.loads(literal[1]))
            self._view = self._growing.view(member)
        return self._view

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
        self._scanner = RecoveringScanner(self._guide, follows=follows_root, refuses='":')
        if offset and text[:offset].strip(_SPACES):
            around = Repair("around", 0, offset, "$")
            around.edits.append((0, offset, ""))
            self._before.append(around)
        if start.kind == ESCAPED:
            self._unescaper = Unescaper(offset)
            self._length = 0
        elif start.kind == MEMBER:
            self._scanner.open_implied(offset, self._out)
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
                self._rest = Rest(self._length + len(text) - len(over))
                self._rest.feed(over, final=final)
        self._length += len(text)

    # The end

    def _closed(self, *, closed: bool) -> RecoveredJson:
        if self._scanner is None:
            self._start.end()
            found = self._scalar(closed=closed)
            if found is not None:
                return found
            if not self._start.end():
                return self._nothing("refused")
            self._begin_value()
        scanner = self._scanner
        assert scanner is not None
        self._read("", final=True)
        if not scanner.done and not scanner.failed:
            scanner.end(self._out, closed=closed)
        if scanner.failure:
            return self._nothing("too-deep" if "deep" in scanner.failure else "unreadable")
        if scanner.unreadable:
            return self._nothing("unreadable")
        behind = self._rest.repairs if self._rest else ()
        repairs = [*self._before, *single(scanner.repairs), *behind]
        stretches = scanner.stretches
        if self._unescaper is not None:
            repairs += _repairs_of(stretches)
            stretches = []
        return self._judged(self._placed(repairs), stretches, truncated=scanner.truncated)

    def _scalar(self, *, closed: bool) -> RecoveredJson | None:
        """Reads a root string, number or literal."""
        text = self._start.text
        stripped = text.strip(_SPACES)
        if not stripped or stripped[0] in "{[":
            return None
        whole = read_whole(stripped + "\n", 0)
        is_whole = whole is not None and whole[1] == len(stripped)
        if not is_whole and stripped[0] == '"':
            scanner = JsonScanner()
            scanner.feed(stripped, 0, [])
            if (scanner.failed or scanner.done) and self._may_be_object():
                return None
        elif not is_whole:
            return self._word(text, stripped)
        reader = RecoveringScanner(self._guide, follows=follows_root)
        position = reader.feed(text, 0, self._out, final=True)
        if not reader.done:
            reader.end(self._out, closed=closed or is_whole)
        if reader.failure:
            return self._nothing("unreadable")
        rest = Rest(position)
        rest.feed(text[position:], final=True)
        self._rest = rest
        for repair in reader.repairs:
            if (
                repair.code == "schema-type"
                and not reader.truncated
                and "".join(self._out)[:1] in "{["
            ):
                repair.code = "decoded"
                repair.edits.append((repair.start, repair.end, "".join(self._out)))
        truncated = reader.truncated and not is_whole
        if not "".join(self._out):
            return self._nothing("refused")
        return self._judged([*reader.repairs, *rest.repairs], truncated=truncated)

    def _word(self, text: str, stripped: str) -> RecoveredJson | None:
        """Reads a root number or literal in another form."""
        try:
            scalar = scalar_of(stripped, self._guide)
        except ValueError:
            return self._nothing("unreadable")
        if scalar is None or not scalar.code:
            return None
        start = text.index(stripped)
        repair = Repair(scalar.code, start, start + len(stripped), "$")
        repair.edits.append((repair.start, repair.end, scalar.text))
        self._out.append(scalar.text)
        return self._judged([repair], truncated=False)

    def _placed(self, repairs: list[Repair]) -> list[Repair]:
        """Moves the repairs of an unescaped text to where they stand in the source."""
        unescaper = self._unescaper
        if unescaper is None:
            return repairs
        for repair in repairs[len(self._before) :]:
            repair.start, repair.end = unescaper.source(repair.start), unescaper.source(repair.end)
            repair.edits = []
        end = unescaper.source(self._length)
        once = Repair("unescaped-once", self._begin, end, "$")
        once.edits.append((self._begin, end, "".join(self._out)))
        return [*repairs, once]

    def _nothing(self, code: str) -> RecoveredJson:
        """Gives the result of a text without a value."""
        scanner = self._scanner
        place = scanner.base + scanner.pos if scanner is not None else 0
        if self._unescaper is not None:
            place = self._unescaper.source(place)
        diagnostic = Repair(code, place, place, "$").diagnostic()
        return RecoveredJson(None, "unreadable", (diagnostic,))

    def _judged(
        self,
        repairs: list[Repair],
        stretches: Sequence[Stretch | BodyRun | OpenerRun] = (),
        *,
        truncated: bool,
    ) -> RecoveredJson:
        text = "".join(self._out)
        value = json.loads(text)
        doubled = [each for each in repairs if each.code == "duplicate-key"]
        if doubled:
            for repair, equal in zip(doubled, equal_duplicates(text), strict=False):
                repair.doubt = not equal
        doubt_quotes(repairs, value)
        told = any(each.code == "nonfinite" for each in repairs)
        if not told and is_endless(value, text):
            repairs = [*repairs, Repair("nonfinite", self._begin, self._begin, "$")]
        doubts = {each.code for each in repairs if each.doubt}
        doubts.update(code for each in stretches for code in each.doubts)
        doubts -= self._allow
        status: Literal["complete", "repaired", "truncated"] = "complete"
        if truncated:
            status = "truncated"
        elif stretches or len(repairs) > len(doubled):
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


def _repairs_of(stretches: Iterable[Stretch | BodyRun | OpenerRun]) -> list[Repair]:
    return [repair for each in stretches for repair in repairs_of(each)]


def _fits(value: Any, schema: AnySchema | None) -> bool:
    if not schema:
        return schema is not False
    return satisfies(value, schema if isinstance(schema, bool) else resolved(schema))


def _checked_schema(schema: AnySchema | None) -> AnySchema | None:
    """Gives the schema.

    Raises:
        TypeError: it is none.
    """
    if schema is None or isinstance(schema, Mapping | bool):
        return schema
    raise TypeError(f"a schema is a dict or a bool, got {type(schema).__name__}")


def _checked(allow: Iterable[str]) -> frozenset[str]:
    """Gives the codes that a caller allows.

    Raises:
        ValueError: one of them is no doubt.
    """
    if isinstance(allow, str):
        raise TypeError(f"allow is a set of codes, got the str {allow!r}")
    codes = frozenset(code.replace("_", "-") for code in allow)
    unknown = sorted(codes - DOUBTS - {"extra-closer"})
    if unknown:
        known = ", ".join(sorted(DOUBTS & MESSAGES.keys() & CODES.keys()))
        raise ValueError(f"allow holds {unknown[0]!r}, which is no doubt; the doubts are {known}")
    return codes
