"""Rows of lines: msgspec and the standard library find the same ones."""

from collections.abc import Iterator
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrammar.bulk.rows import row_fields as rows
from toolgrammar.bulk.rows.row_fields import Row, row_of, rows_of_lines

PIECES = st.sampled_from(
    [
        b'{"text": "a"}', b'{"text":"b","id":1}', b'{"id":[1,{"x":null}],"text":null}', b"{",
        b"}", b"\n", b"\n", b"\r\n", b" ", b'{"text":\n', b'"c"}', b'{"text":"\\ud83d"}', b"\xff",
        b'{"text":"\xff"}', b'{"x":"\xff","text":"d"}', b'{"id":"\xff","text":"d"}', b"1", b"[]",
        b'{"text":"e","text":"f"}', b'{"id":NaN,"text":"g"}', b'{"x":01,"text":"h"}', "{\"text\":\"é\"}".encode(),
        b"\xef\xbb\xbf", b'{"text":1}', b'{"id":1e999,"text":""}', b'{"id":1}{"text":"i"}',
    ]
)  # fmt: skip


def _rows(data: bytes, first: int, column: str, keep: tuple[str, ...]) -> Iterator[Row]:
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    return rows_of_lines(data, first, count, column, keep)


def _by_lines(data: bytes, keep: tuple[str, ...]) -> list[Row]:
    return list(rows._line_by_line(data.removeprefix(b"\xef\xbb\xbf"), 1, "text", keep))


def _same(found: Row, wanted: Row) -> bool:
    """Kept values stay as they were written where msgspec takes them over."""
    kept = (found[2].replace(b" ", b""), wanted[2].replace(b" ", b""))
    return (*found[:2], found[3]) == (*wanted[:2], wanted[3]) and kept[0] == kept[1]


@given(st.lists(PIECES, max_size=9), st.sampled_from([(), ("id",)]))
def test_both_readers_find_the_same(pieces: list[bytes], keep: tuple[str, ...]) -> None:
    data = b"".join(pieces)
    found, wanted = list(_rows(data, 1, "text", keep)), _by_lines(data, keep)
    assert len(found) == len(wanted)
    assert all(map(_same, found, wanted)), (found, wanted)


def test_whole_chunks_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_line_by_line", None)
    data = b'{"text":"a","id":1}\n{"id": 2,"text":"b"}\n'
    assert list(_rows(data, 5, "text", ("id",))) == [
        (5, "a", b'{"id":1}', ""),
        (6, "b", b'{"id":2}', ""),
    ]


def test_numbers_count_blank_lines() -> None:
    data = b'\xef\xbb\xbf{"text":"a"}\r\n\r\n  \r\n{"text":"b"}'
    assert list(_rows(data, 1, "text", ())) == [(1, "a", b"", ""), (4, "b", b"", "")]


def test_a_column_may_be_in_an_object() -> None:
    """A key with a dot in its name comes before a path, whichever reader finds it."""
    data = (
        b'{"a":{"b":"x"},"id":1}\n{"a.b":"y","a":{"b":"z"}}\n{"a":"b"}\n{"a":{"b":null}}\n'
        b'{"a":{"b":7}}\n{"a":{"b":"\xff"}}\n'
    )
    assert list(_rows(data, 1, "a.b", ("id",))) == [
        (1, "x", b'{"id":1}', ""),
        (2, "y", b"{}", ""),
        (3, None, b"", "it has no `a.b`; it has `a`"),
        (4, None, b"{}", ""),
        (5, None, b"{}", "`a.b` is a number, not a string"),
        (6, None, b"", "it has bytes that are not UTF-8"),
    ]
    given = MappingProxyType({"a": MappingProxyType({"b": "x"})})
    assert row_of(1, given, "a.b", ()) == (1, "x", b"", "")


def test_any_name_may_be_a_column() -> None:
    data = '{"é t": "a", "kept0": 1, "text": 2}\n'.encode()
    assert list(_rows(data, 1, "é t", ("kept0", "text", "none"))) == [
        (1, "a", b'{"kept0":1,"text":2}', "")
    ]
    assert list(_rows(data, 1, "é t", ("é t",))) == [(1, "a", '{"é t":"a"}'.encode(), "")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b"{}", "it has no `text`"),
        (b'{"a":1,"b":2}', "it has no `text`; it has `a`, `b`"),
        (
            b'{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
            "it has no `text`; it has `a`, `b`, `c`, `d`, `e` …",
        ),
    ],
)
def test_a_row_says_what_it_has_instead(row: bytes, said: str) -> None:
    assert list(_rows(row, 1, "text", ())) == [(1, None, b"", said)]


@pytest.mark.parametrize("constant", ["NaN", "-Infinity"])
def test_a_constant_matters_only_in_a_wanted_column(constant: str) -> None:
    data = f'{{"loss":[{constant}],"text":"a NaN","id":1}}\n'.encode()
    assert list(_rows(data, 1, "text", ("id",))) == [(1, "a NaN", b'{"id":1}', "")]
    refused = f"it is not JSON: `{constant}` is no JSON"
    assert list(_rows(data, 1, "text", ("loss",))) == [(1, None, b"", refused)]
    assert list(_rows(data, 1, "loss", ())) == [(1, None, b"", refused)]
