"""Hides secrets in traces and error messages.

`{"api_key": "abc", "city": "Oslo"}` becomes `{"api_key": "***", "city": "Oslo"}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolgrammar.engine.tracing.secret_shapes import HIDDEN, hide

__all__ = ["HIDDEN", "Redactor"]

_SECRET_NAMES: Final = (
    # By segments, so that `token` hides `access_token` and `accessToken`, but not `max_tokens`.
    *(("password",), ("passwd",), ("secret",), ("token",), ("authorization",), ("cookie",)),
    *(("credential",), ("credentials",)),
    *(("api", "key"), ("private", "key"), ("access", "key")),
    *(("apikey",), ("privatekey",), ("accesskey",)),
)
"""What names a secret, as segments that follow one another in a key."""

_SHORT_NAMES: Final = frozenset({"pwd", "pass", "passphrase"})
"""What names a secret where a text assigns it, as connection strings do."""

_SEGMENT: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]+")
"""A segment of a key: `maxTokens`, `MAX_TOKENS` and `max-tokens` have two."""

_DEEPEST: Final = 250
"""What lies deeper is hidden unseen: deeper than the parser reads arguments."""


class Redactor:
    """Replaces secrets by `***`, by the names of keys and by what strings look like."""

    def __init__(
        self,
        keys: Iterable[str] = (),
        patterns: Iterable[str | re.Pattern[str]] = (),
        values: Iterable[str] = (),
    ) -> None:
        """Sets up what is hidden beside the well-known names and shapes.

        Args:
            keys: more names whose values are secret; `card number` is also `cardNumber` and
                `CARD_NUMBER`, and part of `old_card_number`.
            patterns: regular expressions; what they match is hidden in every string.
            values: secrets as such, hidden in every string; empty ones are left out.

        Raises:
            TypeError: one string was given in place of several.
            re.error: a pattern is no regular expression.
        """
        for name, given in (("keys", keys), ("patterns", patterns), ("values", values)):
            if isinstance(given, str | bytes):
                raise TypeError(f"{name} wants several strings, got the one string {given!r}")
        self._names = {*_SECRET_NAMES, *(_segments(key) for key in keys)}
        self._longest = max(map(len, self._names))
        self._patterns = [re.compile(pattern) for pattern in patterns]
        # The longest first: a secret may hold another one.
        secrets = sorted({value for value in values if value}, key=len, reverse=True)
        if secrets:
            # First of all, before a pattern or a shape has cut a secret into pieces.
            self._patterns.insert(0, re.compile("|".join(map(re.escape, secrets))))

    def text(self, text: str) -> str:
        """Returns a string without the secrets in it."""
        for pattern in self._patterns:
            text = pattern.sub(HIDDEN, text)
        return hide(text, self._names_in_text)

    def _names_in_text(self, key: str) -> bool:
        # `pass` names a secret in a connection string; as a key of data it is more often a test's
        # result.
        return self.hides_key(key) or key.rpartition("_")[2].lower() in _SHORT_NAMES

    def data(self, value: Any) -> Any:
        """Returns a copy of JSON data without the secrets in it."""
        return self._copy(value, 0)

    def hides_key(self, key: str) -> bool:
        """Tells whether all that stands under a key is secret."""
        segments = _segments(key)
        return any(
            segments[start : start + length] in self._names
            for length in range(1, self._longest + 1)
            for start in range(len(segments) - length + 1)
        )

    def _copy(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth == _DEEPEST:
            return HIDDEN
        if isinstance(value, Mapping):
            return {
                # The key is looked at, too: a dict may have tokens as keys.
                self.text(str(key)): (
                    HIDDEN if self.hides_key(str(key)) else self._copy(part, depth + 1)
                )
                for key, part in value.items()
            }
        return [self._copy(part, depth + 1) for part in value]


def _segments(key: str) -> tuple[str, ...]:
    """Returns the words of a key in lower case; a key without any is a word by itself."""
    return tuple(word.lower() for word in _SEGMENT.findall(key)) or (key,)
