"""Records the stretches of a source that are text of one kind, such as reasoning.

Example: 0 to 5 and 5 to 9 are one stretch, 0 to 9; 20 to 25 is another.
"""

from __future__ import annotations


class Stretches:
    """The stretches of a source, in their order."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._places)

    def __len__(self) -> int:
        return sum(end - start for start, end in self._places)

    # Only offsets are kept, since the source has the text, and a stream may be long.
    def add(self, start: int, end: int) -> None:
        """Adds the next stretch, or extends the last one if it is adjacent."""
        if end > start:
            places = self._places
            if places and places[-1][1] == start:
                places[-1] = (places[-1][0], end)
            else:
                places.append((start, end))

    @property
    def last(self) -> tuple[int, int]:
        """The offsets of the last stretch; (0, 0) if there is none."""
        return self._places[-1] if self._places else (0, 0)

    def of(self, source: str) -> str:
        """Returns the text of all stretches."""
        if not self._places:
            return ""
        return "".join(self.each(source))

    def each(self, source: str) -> list[str]:
        """Returns the text of each stretch."""
        return [source[start:end] for start, end in self._places]
