"""What is remembered of pieces is what is judged of them, and no more than so many are kept."""

from __future__ import annotations

from toolgrammar.core.payloads.json.tokens import ChunkMemo, in_strings, matching


def test_a_short_piece_is_judged_once() -> None:
    judged = list[str]()

    def judge(piece: str) -> int:
        judged.append(piece)
        return len(piece)

    lengths = ChunkMemo(judge, most=2, longest=4)
    assert [lengths[piece] for piece in ("ab", "ab", "longer", "longer")] == [2, 2, 6, 6]
    assert judged == ["ab", "longer", "longer"]


def test_with_too_many_pieces_it_begins_anew() -> None:
    lengths = ChunkMemo(len, most=3, longest=9)
    for piece in ("a", "b", "c", "d"):
        assert lengths[piece] == 1
    assert list(lengths) == ["d"]


def test_pieces_of_strings_are_written_as_json() -> None:
    pieces = in_strings("[^<]+")
    assert [pieces['a "b"\n'], pieces["<a"], pieces["ï"]] == ['a \\"b\\"\\n', "", "ï"]
    assert in_strings("[^<]+") is pieces


def test_an_expression_matches_whole_pieces() -> None:
    plain = matching("[^<]*")
    assert (plain["ab"], plain["a<"]) == (True, False)
