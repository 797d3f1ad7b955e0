"""`parsing/whole.py` and `parsing/streams.py`: what callers hand in."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from toolgrammar import ToolCall, UnknownFormat, astream, formats, parse, stream
from toolgrammar.parsing.parser import DrivenParser

GRAMMAR = """\
//@ id: mine
%declare TEXT JSON_OBJECT
start: (TEXT | call)*
call: "<call>" name ":" arguments "</call>"
name: NAME
NAME: /\\w+/
arguments: JSON_OBJECT
"""
MESSAGE = 'Søk <call>weather:{"city": "Tromsø"}</call>'
CALLS = (ToolCall("weather", {"city": "Tromsø"}),)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLGRAMMAR_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (MESSAGE, CALLS),
        (MESSAGE.encode(), CALLS),
        (bytearray(MESSAGE.encode()), CALLS),
        (None, ()),
        ("", ()),
        (b"", ()),
    ],
)
def test_takes_a_message_of_any_kind(
    path: Path, text: str | bytes | None, calls: tuple[ToolCall, ...]
) -> None:
    result = parse(text, format=path)
    assert result.calls == calls
    assert result.ok


def test_bad_bytes_are_replaced_and_told(path: Path) -> None:
    result = parse("ä ".encode() + b"\xff\xfe" + MESSAGE.encode(), format=str(path))
    assert result.calls == CALLS
    assert result.source.startswith("ä \ufffd\ufffdSøk")
    assert [(one.code, one.span.start) for one in result.diagnostics] == [("invalid-utf8", 2)]


@pytest.mark.parametrize(
    ("data", "spans", "said"),
    [
        (b"\xff ok \xfe\xfe", [(0, 1), (5, 7)], ["0xff at byte 0", "0xfe at byte 5"]),
        (b"\xe2\x82 \xc3\xa9 \xf0\x9f\x98x\x80", [(0, 1), (4, 5), (6, 7)],
         ["0xe2 at byte 0", "0xf0 at byte 6", "0x80 at byte 10"]),
        (b"\xed\xa0\x80 \xef\xbf\xbd", [(0, 3)], ["0xed at byte 0"]),
    ],
)  # fmt: skip
def test_each_stretch_of_bad_bytes_is_told(
    path: Path, data: bytes, spans: list[tuple[int, int]], said: list[str]
) -> None:
    result = parse(data, format=str(path))
    assert result.source == data.decode(errors="replace")
    assert [(one.span.start, one.span.end) for one in result.diagnostics] == spans
    for one, words in zip(result.diagnostics, said, strict=True):
        assert f"{words}, which is not UTF-8" in one.message


def test_many_bad_bytes_are_told_at_most(path: Path) -> None:
    result = parse(b"a\xff" * 30_000, format=str(path))
    assert len(result.diagnostics) == 1000
    assert result.diagnostics[-1].span.end == 60_000


@pytest.mark.parametrize("text", [3, ["a"], object()])
def test_refuses_another_type(path: Path, text: object) -> None:
    with pytest.raises(TypeError, match=f"got {type(text).__name__}"):
        parse(text, format=path)  # type: ignore[arg-type]


@pytest.mark.parametrize("prefix", [3, b"<think>"])
def test_refuses_a_prefix_of_another_type(path: Path, prefix: object) -> None:
    with pytest.raises(TypeError, match=f"prefix must be a str, got {type(prefix).__name__}"):
        parse("x", format=path, prefix=prefix)  # type: ignore[arg-type]


def test_refuses_an_unknown_format() -> None:
    with pytest.raises(UnknownFormat, match="no_such_format"):
        parse("", "no_such_format")


@pytest.mark.parametrize(
    "chunks", [MESSAGE, [MESSAGE], list(MESSAGE), [None, MESSAGE, None, ""]], ids=repr
)
def test_stream_ends_with_the_same_calls(path: Path, chunks: list[str | None]) -> None:
    ended = [event.call for event in stream(chunks, path) if hasattr(event, "call")]
    assert tuple(ended) == CALLS


def test_stream_gives_events_before_the_end(path: Path) -> None:
    def chunks() -> Iterator[str]:
        yield "Hello there, "
        raise AssertionError

    assert next(iter(stream(chunks(), path))).text.startswith("Hello")  # type: ignore[union-attr]


def test_wrong_arguments_raise_at_the_call(path: Path) -> None:
    with pytest.raises(UnknownFormat):
        stream([], "no_such_format")
    with pytest.raises(TypeError, match="async iterable, got list"):
        astream([], path)  # type: ignore[arg-type]


def test_astream_gives_the_events_of_stream(path: Path) -> None:
    async def chunks() -> AsyncIterator[str | None]:
        for character in MESSAGE:
            await asyncio.sleep(0)
            yield character
        yield None

    async def collect() -> list[object]:
        return [event async for event in astream(chunks(), path)]

    assert asyncio.run(collect()) == list(stream(list(MESSAGE), path))


@pytest.mark.parametrize(
    "inside", ["x", "}", "\u4e2d", "<\uff5ctool\u2581call\u2581end\uff5c>", '\\"{']
)
@pytest.mark.parametrize("calls", [1, 2])
def test_long_arguments_beside_wide_markup_are_read_as_the_driver_reads_them(
    inside: str, calls: int
) -> None:
    written = [ToolCall("f", {"a": f"{inside}\n" * 3000, "b": [1, {"c": inside}]})] * calls
    text = formats["deepseek_v3_1"].render(written)
    assert len(text) > 4096
    assert not text.isascii()
    for _ in range(4):  # the first ones are not read straight
        found = parse(text, format="deepseek_v3_1")
        assert found == DrivenParser("deepseek_v3_1").run_whole(text)
        assert [call.arguments for call in found.calls] == [call.arguments for call in written]
