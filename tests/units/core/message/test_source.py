"""The text that was fed, and any part of it, however it was cut and whatever was asked before."""

import random

from toolgrammar.core.message.source import Parts, Pieces, Source


def test_every_part_is_that_of_the_text() -> None:
    choose = random.Random(7)
    source, text = Source(), ""
    for _ in range(4000):
        chunk = "".join(chr(choose.randrange(32, 0x2000)) for _ in range(choose.randrange(6)))
        chunk *= choose.choice((1, 1, 1, 400))
        source.append(chunk)
        text += chunk
        assert source.length == len(text)
        for _ in range(choose.choice((0, 0, 2))):
            start = choose.randrange(len(text) + 1)
            end = start + choose.choice((0, 1, 20, 700, len(text)))
            assert source.slice(start, end) == text[start:end]
    assert source.text() == text
    assert source.slice(3, 9) == text[3:9]
    source.append("more")
    assert source.text() == text + "more"


def test_an_empty_source_has_no_text() -> None:
    assert Source().text() == ""
    assert Source().slice(0, 4) == ""


def test_pieces_keep_their_order() -> None:
    pieces = Pieces()
    assert not pieces
    written = [str(number) for number in range(3000)]
    for piece in written:
        pieces.append(piece)
    assert pieces
    assert pieces.text() == "".join(written)
    assert pieces.take() == "".join(written)
    assert not pieces
    assert pieces.text() == ""


def test_parts_are_stripped_as_their_text_is() -> None:
    choose = random.Random(3)
    for _ in range(300):
        parts = Parts()
        for _ in range(choose.randrange(5)):
            parts.append(choose.choice(("a b", " ", "\n", "", " c", "d\n\n")))
        assert parts.stripped() == "".join(parts.texts).strip()


def test_parts_go_back_to_a_checkpoint_and_tell_where_they_stand() -> None:
    parts, written = Parts(), []
    for number in range(2000):
        offset = -1 if number % 700 < 50 else number * 2 + (number > 900)
        parts.append("ab", offset)
        written.append(("ab", offset))
    checkpoint = parts.checkpoint()
    for number in range(1500):
        parts.append("cd", 10_000 + 2 * number)
    parts.rewind(checkpoint)
    assert len(parts.texts) < 1000
    assert "".join(parts.texts) == "".join(text for text, _ in written)
    known = {
        place + index: character
        for place, text in zip(parts.offsets, parts.texts, strict=True)
        if place >= 0
        for index, character in enumerate(text)
    }
    assert known == {
        offset + index: character
        for text, offset in written
        if offset >= 0
        for index, character in enumerate(text)
    }
