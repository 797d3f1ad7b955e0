"""Notes which stretches of a source are text of one kind.

Example: 0 to 5 and 5 to 9 are one stretch, 0 to 9; 20 to 25 is another.
"""

from __future__ import annotations


class Stretches:
    """Stretches of a source, in their order."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._places)

    def __len__(self) -> int:
        return sum(end - start for start, end in self._places)

    # Places, and not the text: the source has that, and a stream may be long.
    def add(self, start: int, end: int) -> None:
        """Adds the next one; one that goes on with the last makes it longer."""
        if end > start:
            places = self._places
            if places and places[-1][1] == start:
                places[-1] = (places[-1][0], end)
            else:
                places.append((start, end))

    @property
    def last(self) -> tuple[int, int]:
        """Where the last one stands."""
        return self._places[-1] if self._places else (0, 0)

    def of(self, source: str) -> str:
        """Returns their text."""
        if not self._places:
            return ""
        return "".join(self.each(source))

    def each(self, source: str) -> list[str]:
        """Returns the text of each."""
        return [source[start:end] for start, end in self._places]
