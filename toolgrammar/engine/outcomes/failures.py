"""What can go wrong with a call: the error values, and the exceptions that tools may raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONGEST_MESSAGE: Final = 2_000
"""Characters of an error's message, at most."""
TIMEOUT: Final = "timeout"
"""The message of an error where the engine's limit struck, and of no other."""


@dataclass(frozen=True, slots=True)
class ToolError:
    """Why a call has no value: a value itself, never raised."""

    code: str
    """What kind of failure it is; the page of the engine lists them."""
    message: str
    """What happened, for the model to read."""

    def __str__(self) -> str:
        return f"{self.code}:{self.message}"


class UserError(Exception):
    """The model's mistake, for it to mend: its text goes to the model and nothing is retried."""


class RetryableError(Exception):
    """A failure that may pass: the call is tried again.

    Attributes:
        retry_after: the seconds to wait at least, or None.
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[RetryableError], tuple[str, float | None]]:
        return type(self), (str(self), self.retry_after)


class GuardrailError(Exception):
    """A guardrail blocks the call; its text says why."""


class Failure(Exception):  # noqa: N818 - inside the engine only: it ends the steps of a call
    """Ends the steps of a call with an error.

    Attributes:
        error: the error that the call's result gets.
    """

    def __init__(self, error: ToolError) -> None:
        super().__init__(str(error))
        self.error = error


def text_of(error: BaseException) -> str:
    """Returns the text of an exception, or its type's name where that is empty."""
    try:
        text = str(error)
    except Exception:  # the exception is a stranger's, and so is its __str__
        text = ""
    return text or type(error).__name__


def cut(text: str, limit: int | None) -> str:
    """Returns a text of at most `limit` characters of the original, with a mark where it is cut.

    The first three quarters of the limit and the last one stay.
    """
    if limit is None or len(text) <= limit:
        return text
    # The end stays, too: there a log says what went wrong.
    head = limit * 3 // 4
    tail = text[len(text) - (limit - head) :]
    mark = f"\n[toolgrammar: {len(text) - limit} of {len(text)} characters cut]\n"
    return f"{text[:head]}{mark}{tail}"
