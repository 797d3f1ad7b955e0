"""Defines the error value of a result, and the exceptions that tools and guardrails may raise.

A tool that raises `UserError("no such city")` gives a result with the error
`ToolError("user_error", "no such city")`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONGEST_MESSAGE: Final = 2_000
"""The length of the longest error message."""
TIMEOUT: Final = "timeout"
"""The message of an error if an attempt exceeded the engine's time limit; no other error has it."""


@dataclass(frozen=True, slots=True)
class ToolError:
    """Why a call has no value. It is returned in a result, never raised."""

    code: str
    """The kind of failure; docs/engine.md lists all codes."""
    message: str
    """What happened, as a text for the model."""

    def __str__(self) -> str:
        return f"{self.code}:{self.message}"


class UserError(Exception):
    """A mistake of the model: the text is shown to the model, and the call is not retried."""


class RetryableError(Exception):
    """A temporary failure: the call is retried.

    Attributes:
        retry_after: the seconds to wait at least, or None.
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[RetryableError], tuple[str, float | None]]:
        return type(self), (str(self), self.retry_after)


class GuardrailError(Exception):
    """Raised by a guardrail to block a call; the text says why."""


class Failure(Exception):  # noqa: N818 - inside the engine only: it ends the steps of a call
    """Ends the steps of a call with an error.

    Attributes:
        error: the error that the call's result gets.
    """

    def __init__(self, error: ToolError) -> None:
        super().__init__(str(error))
        self.error = error


def text_of(error: BaseException) -> str:
    """Returns the text of an exception, or the name of its type if the text is empty."""
    try:
        text = str(error)
    except Exception:  # a foreign exception may have a broken `__str__`
        text = ""
    return text or type(error).__name__


def cut(text: str, limit: int | None) -> str:
    """Returns a text of at most `limit` characters of the original, with a mark where it is cut.

    The first three quarters of the limit and the last quarter are kept.
    """
    if limit is None or len(text) <= limit:
        return text
    # The end is kept too, since a log reports errors there.
    head = limit * 3 // 4
    tail = text[len(text) - (limit - head) :]
    mark = f"\n[toolgrammar: {len(text) - limit} of {len(text)} characters cut]\n"
    return f"{text[:head]}{mark}{tail}"
