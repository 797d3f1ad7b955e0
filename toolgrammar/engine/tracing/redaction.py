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
"""The names of secrets, each as consecutive segments of a key."""

_SHORT_NAMES: Final = frozenset({"pwd", "pass", "passphrase"})
"""More names of secrets, for assignments in a text, as in connection strings."""

_SEGMENT: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]+")
"""A segment of a key: `maxTokens`, `MAX_TOKENS` and `max-tokens` have two."""

_DEEPEST: Final = 250
"""The depth below which everything is hidden: deeper than the parser reads by default."""


class Redactor:
    """Replaces secrets by `***`; it finds them by names of keys and by shapes of strings."""

    def __init__(
        self,
        keys: Iterable[str] = (),
        patterns: Iterable[str | re.Pattern[str]] = (),
        values: Iterable[str] = (),
    ) -> None:
        """Adds names, patterns and values to the well-known ones.

        Args:
            keys: more names whose values are secret; `card number` is also `cardNumber` and
                `CARD_NUMBER`, and part of `old_card_number`.
            patterns: regular expressions; what they match is hidden in every string.
            values: the secrets themselves, hidden in every string; empty ones are ignored.

        Raises:
            TypeError: one string was given in place of several.
            re.error: a pattern is not a regular expression.
        """
        for name, given in (("keys", keys), ("patterns", patterns), ("values", values)):
            if isinstance(given, str | bytes):
                raise TypeError(f"{name} wants several strings, got the one string {given!r}")
        self._names = {*_SECRET_NAMES, *(_segments(key) for key in keys)}
        self._longest = max(map(len, self._names))
        self._patterns = [re.compile(pattern) for pattern in patterns]
        # Longest first, since a secret may contain another one.
        secrets = sorted({value for value in values if value}, key=len, reverse=True)
        if secrets:
            # Applied first, before a pattern or a shape replaces a part of a secret.
            self._patterns.insert(0, re.compile("|".join(map(re.escape, secrets))))

    def text(self, text: str) -> str:
        """Returns a string without the secrets in it."""
        for pattern in self._patterns:
            text = pattern.sub(HIDDEN, text)
        return hide(text, self._names_in_text)

    def _names_in_text(self, key: str) -> bool:
        # `pass` names a secret in a connection string; as a key of data it is more often the
        # result of a test.
        return self.hides_key(key) or key.rpartition("_")[2].lower() in _SHORT_NAMES

    def data(self, value: Any) -> Any:
        """Returns a copy of JSON data without the secrets in it."""
        return self._copy(value, 0)

    def hides_key(self, key: str) -> bool:
        """Whether everything under a key is secret."""
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
                # Keys are redacted too: a dict may have tokens as keys.
                self.text(str(key)): (
                    HIDDEN if self.hides_key(str(key)) else self._copy(part, depth + 1)
                )
                for key, part in value.items()
            }
        return [self._copy(part, depth + 1) for part in value]


def _segments(key: str) -> tuple[str, ...]:
    """Returns the segments of a key in lower case; a key without segments is one itself."""
    return tuple(word.lower() for word in _SEGMENT.findall(key)) or (key,)
