"""Finds the tokens that are names, arguments or markup: masks for training and evaluation.

With the tokens `<tool_call>`, `{"name": "`, `search` … a mask of names is true for `search` alone. The
offsets of tokens are those of a tokenizer: pairs of characters, as Hugging Face's
`encoding.offsets`, or the beginnings that tiktoken's `decode_with_offsets` returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from toolgrammar.values.spans import PartKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.spans import Part

__all__ = ["byte_offsets", "spans_of_starts", "token_mask", "token_parts"]

ARGUMENTS: Final = frozenset({"key", "value", "arguments", "input"})
"""The kinds of parts that `kinds="arguments"` means."""


_KINDS: Final = get_args(PartKind)


def spans_of_starts(starts: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Returns the offsets of tokens of which only the beginnings are known, as tiktoken has them.

    Of a character that takes several tokens, each of them spans all of it.

    Args:
        starts: the offset of each token's first character.
        length: the length of the text, in characters.
    """
    ends: list[int] = []
    end = length
    for place in range(len(starts) - 1, -1, -1):
        # Tokens that begin at one character are pieces of it, and end where the last of them ends.
        if place + 1 < len(starts) and starts[place + 1] > starts[place]:
            end = starts[place + 1]
        ends.append(end)
    return list(zip(starts, reversed(ends), strict=True))


def byte_offsets(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the offsets in characters of tokens whose offsets are in bytes of UTF-8.

    A token that ends inside a character covers all of it.
    """
    # The character that each byte belongs to.
    owners = [
        place for place, each in enumerate(text) for _ in each.encode("utf-8", "surrogatepass")
    ]
    # For a token that begins where the text ends, one of an empty text say.
    owners.append(len(text))
    return [
        (owners[start], owners[end - 1] + 1 if end > start else owners[start])
        for start, end in spans
    ]


def token_parts(
    result: ParseResult, offsets: Sequence[tuple[int, int]], *, start: int = 0
) -> list[tuple[Part, range]]:
    """Returns the parts of a message, each with the tokens that have a character of it.

    A token at a border belongs to both parts. A token without characters, as special tokens that a
    tokenizer adds have `(0, 0)`, belongs to none.

    Args:
        result: the message; its parts are asked for.
        offsets: where each token begins and ends, in characters, in the order of the text.
        start: where the message begins in the text that was tokenized, after a prompt for instance.
    """
    found: list[tuple[Part, range]] = []
    # Only tokens with characters: where they begin and where they end, both rise.
    there = [at for at, (begin, end) in enumerate(offsets) if end > begin]
    first = 0
    for part in result.parts:
        begin, stop = part.span.start + start, part.span.end + start
        while first < len(there) and offsets[there[first]][1] <= begin:
            first += 1
        last = first
        # From `first` on, and not on from the last part: a token at a border belongs to both.
        while last < len(there) and offsets[there[last]][0] < stop:
            last += 1
        tokens = range(there[first], there[last - 1] + 1) if last > first else range(0)
        found.append((part, tokens))
    return found


def token_mask(
    result: ParseResult,
    offsets: Sequence[tuple[int, int]],
    kinds: str | Iterable[str],
    *,
    start: int = 0,
) -> list[bool]:
    """Returns for each token whether it has a character of a part of some kinds.

    Args:
        result: the message.
        offsets: where each token begins and ends, in characters, in the order of the text.
        kinds: a kind of `Part`, or several; "arguments" stands for keys, values and free text, too.
        start: where the message begins in the text that was tokenized.

    Raises:
        ValueError: no part is of such a kind.
    """
    wanted = {kinds} if isinstance(kinds, str) else set(kinds)
    # A misspelt kind would mask nothing, and training would go on.
    if unknown := wanted.difference(_KINDS):
        raise ValueError(f"unknown kind {min(unknown, key=str)!r}; known: {', '.join(_KINDS)}")
    if "arguments" in wanted:
        wanted |= ARGUMENTS
    mask = [False] * len(offsets)
    for part, tokens in token_parts(result, offsets, start=start):
        if part.kind in wanted:
            for token in tokens:
                begin, end = offsets[token]
                # A range of tokens may have some without characters in it, and those are in no
                # part.
                mask[token] = mask[token] or end > begin
    return mask
