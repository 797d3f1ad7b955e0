"""Counts the characters in which a text differs from a mark, as damage leaves it.

Example: `</paramter>` has a distance of 1 from `</parameter>`: a letter is missing.
"""

from __future__ import annotations


def is_within(most: int, mark: str, text: str) -> bool:
    """Whether the distance of a text from a mark is at most so great."""
    # Each damage changes the length by one, or removes one character: counting spares most
    # comparisons.
    if abs(len(mark) - len(text)) > most or sum(each not in text for each in set(mark)) > most:
        return False
    return distance(mark, text) <= most


def distance(one: str, other: str) -> int:
    """Returns how many characters are missing, superfluous, wrong, or swapped with the next one."""
    return distances(one, other, anywhere=False)[-1][-1][0]


def distances(
    mark: str, text: str, *, anywhere: bool = True, most: int | None = None
) -> list[list[tuple[int, int, int]]]:
    """Returns, by length of a beginning of the mark, its distance from the text before each index.

    Each distance comes with the start and the end of that text. A character that is missing,
    superfluous or wrong counts one, and so do two that are swapped.

    Args:
        mark: the mark.
        text: the text.
        anywhere: whether the mark may begin anywhere: the text before it is free.
        most: an upper bound of the distances that matter, which reduces the work.
    """
    row = [(0 if anywhere else at, at if anywhere else 0, at) for at in range(len(text) + 1)]
    rows = [row]
    # A distance within `most` stays near the diagonal: each step away from it costs one.
    below = len(mark) if most is None else most
    above = len(text) if most is None else len(text) - len(mark) + most
    far = [(len(mark) + len(text), 0, at) for at in range(len(text) + 1)]
    for size, wanted in enumerate(mark, 1):
        before, row = rows[-1], far.copy()
        row[0] = (size, 0, 0)
        for at in range(max(1, size - below), min(len(text), size + above) + 1):
            written = text[at - 1]
            cost, start, _ = before[at - 1]
            best = (cost + (wanted != written), start)
            best = min(
                best, (before[at][0] + 1, before[at][1]), (row[at - 1][0] + 1, row[at - 1][1])
            )
            # Two swapped characters: `</fucntion>`.
            if size > 1 and at > 1 and wanted == text[at - 2] and mark[size - 2] == written:
                swapped = rows[-2][at - 2]
                best = min(best, (swapped[0] + 1, swapped[1]))
            row[at] = (best[0], best[1], at)
        rows.append(row)
    return rows
