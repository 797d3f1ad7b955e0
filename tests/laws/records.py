"""Records of what becomes of each example of each page: a short digest of each part, by its name.

Example of two lines: `"hermes": {` and `"one-call": "3f2a9c 01be77"`, for two parts.
"""

import json
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import toolgrammar
from tests.laws.every_case import every_page_case, page_cases
from toolgrammar.testing import Case

_DIGITS = 6
"""Hexadecimal digits of the digest of a part."""
_SHOWN = 4000
_LEAST = 1900
"""The least number of examples that a record knows."""


class Record:
    """The digests as they were when they were last looked at."""

    def __init__(self, name: str, described: Callable[[Case], dict[str, str]]) -> None:
        """Makes a record.

        Args:
            name: that of the module which describes the examples, and of the file beside it.
            described: writes out what becomes of an example, by the names of the parts.
        """
        self._command = f"`python -m tests.laws.{name}`"
        self._path = Path(__file__).with_name(f"{name}.json")
        self._described = described

    @cached_property
    def _known(self) -> dict[str, dict[str, str]]:
        if not self._path.is_file():
            return {}
        found: dict[str, dict[str, str]] = json.loads(self._path.read_text(encoding="utf-8"))
        return found

    def _digest(self, case: Case) -> str:
        return " ".join(_digest_of(text) for text in self._described(case).values())

    def hold(self, format_id: str) -> None:
        """Asserts that the examples of a format become what they became."""
        assert format_id in self._known, f"a new format: {self._command} records it"
        known = self._known[format_id]
        for case in page_cases(format_id):
            name = _name(case)
            if name not in known:  # a new example: its page says what is expected
                continue
            parts = self._described(case)
            digests = known[name].split(" ")
            assert len(digests) == len(parts), f"{self._command} records other parts"
            changed = {
                part: text
                for digest, (part, text) in zip(digests, parts.items(), strict=True)
                if digest != _digest_of(text)
            }
            now = "\n".join(f"{part}:\n{text[:_SHOWN]}" for part, text in changed.items())
            assert not changed, (
                f"{name} of {format_id} is not as recorded ({', '.join(changed)}). Compare with the "
                f"last commit; where the change is meant, {self._command} writes the record anew and "
                f"names what changed. Now:\n{now}"
            )

    def is_of_most(self) -> bool:
        """Whether the record knows examples of each format, and as many as there are."""
        found = [len(each) for each in self._known.values()]
        return min(found) > 0 and sum(found) > _LEAST

    def write(self) -> None:
        """Writes the record anew, and prints the names of the examples that changed."""
        every = {
            format_id: {_name(case): self._digest(case) for case in every_page_case(format_id)}
            for format_id in sorted(toolgrammar.formats)
        }
        for format_id, found in every.items():
            for name, now in found.items():
                if self._known.get(format_id, {}).get(name, now) != now:
                    print(f"{format_id}: {name}")  # noqa: T201 - the command says what changed
        text = json.dumps(every, indent=1) + "\n"
        self._path.write_text(text, encoding="utf-8", newline="\n")


def _digest_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _name(case: Case) -> str:
    return case.id.rpartition("::")[2]
