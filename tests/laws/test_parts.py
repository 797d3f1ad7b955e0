"""The parts of a message tile its source, and hold what was read; however it is cut."""

import pytest

from tests.laws.every_case import cases, each_format, hold
from toolgrammar import Parser, ParseResult, Part, parse
from toolgrammar.core.calls.places import members_of
from toolgrammar.testing import Case
from toolgrammar.testing.cases import format_of


def _text(result: ParseResult, part: Part) -> str:
    return result.source[part.span.start : part.span.end]


def _parts(case: Case) -> None:
    result = parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
    parts = result.parts
    _tile(result, parts)
    _outside_of_calls(case, result, parts)
    _inside_of_calls(case, result, parts)
    parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
    for character in case.text:
        parser.feed(character)
    parser.close()
    assert parser.result.parts == parts, case.id


def _tile(result: ParseResult, parts: tuple[Part, ...]) -> None:
    place = 0
    for part in parts:
        assert part.span.start == place < part.span.end, part
        place = part.span.end
    assert place == len(result.source)


def _outside_of_calls(case: Case, result: ParseResult, parts: tuple[Part, ...]) -> None:
    joins = format_of(case).header.messages == "lines"
    for kind, read in (("text", result.text), ("reasoning", result.reasoning)):
        found = "".join(_text(result, part) for part in parts if part.kind == kind)
        # Texts of several messages are read with a line end between them; entities are decoded.
        if joins:
            assert found.split() == read.split() or "".join(found.split()) == "".join(read.split())
        elif "&" not in found:
            assert found.strip() == read, (case.id, kind)


def _inside_of_calls(case: Case, result: ParseResult, parts: tuple[Part, ...]) -> None:
    assert all(
        part.call is not None for part in parts if part.kind not in ("text", "reasoning", "markup")
    )
    for part in parts:
        if part.call is None:
            continue
        call, written = result.calls[part.call], _text(result, part)
        assert call.span.start <= part.span.start, (case.id, part)
        assert part.span.end <= call.span.end, (case.id, part)
        if part.kind == "name":
            # Markdown has backslashes before underscores.
            assert written.replace("\\", "") == call.name, (case.id, written)
    for index, call in enumerate(result.calls):
        values = {part.key: part for part in parts if part.call == index and part.kind == "value"}
        for key, part in values.items():
            if key is not None and call.status == "complete":
                assert _holds(_text(result, part), call.arguments[key]), (case.id, key, part)


def _holds(written: str, value: object) -> bool:
    r"""Whether a value was read in a text: as it stands, typed, or without escapes and layout."""
    if members_of(f"x={written}", {"x": value}, whole=True) is not None:
        return True
    if '\\"' in written and not isinstance(value, str):
        # A schema types a list or an object that is escaped once too often: `[{\"id\": 1}]`.
        return _holds(written.replace('\\"', '"'), value)
    if "&" in written or not isinstance(value, str):
        return "&" in written or written.strip().lower() == str(value).lower()
    return "".join(written.split()) == "".join(value.split())


@each_format
def test_parts(format_id: str) -> None:
    hold(_parts, cases(format_id))


def test_nothing_is_guessed_where_members_differ() -> None:
    assert members_of('{"a": 1, "b": 2}', {"a": 1, "b": 3}, whole=True) is None
    assert members_of('{"a": 1, "b": 2}', {"a": 1}, whole=True) is None


def test_a_result_that_was_not_read_here_has_no_parts() -> None:
    result = parse("Hi.", "hermes")
    assert [part.kind for part in result.parts] == ["text"]
    with pytest.raises(ValueError, match="where it was read"):
        _ = ParseResult.from_dict(result.to_dict()).parts


def test_a_message_that_was_cut_by_the_server_or_begun_by_the_template() -> None:
    text = "so</think>\nThought: x\nAction: f\nAction Input: {}"
    result = parse(text, "auto", prefix="<think>", finish_reason="length")
    assert result.parts[0].kind == "reasoning"
    _tile(result, result.parts)
