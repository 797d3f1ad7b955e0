"""Decides whether a failed attempt is retried, and after how many seconds.

After `RetryableError("busy", retry_after=2.0)` the next attempt comes two seconds later.
"""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final

from toolgrammar.engine.outcomes.failures import RetryableError, UserError
from toolgrammar.values.errors import check_several, check_type

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
"""The seconds in a `Retry-After` header: whole by the standard, but servers send fractions too."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Which exceptions of a tool are retried, how often, and after which delays.

    Raises:
        ValueError: a number is negative or none.
        TypeError: `on` names something else than exceptions, or an option has another type.
    """

    max_retries: int = 1
    """How many attempts may follow the first one."""
    on: tuple[type[BaseException], ...] = (RetryableError,)
    """The exceptions that are retried; `UserError` never is."""
    initial: float = 0.1
    """The longest wait after the first attempt, in seconds; it doubles with every attempt."""
    max_delay: float = 30.0
    """The upper bound of all waits, in seconds."""
    jitter: bool = True
    """Whether a wait is drawn at random between zero and its bound; otherwise it is the bound."""
    timeouts: bool = False
    """Whether an attempt that timed out is retried, though it may still be running."""

    def __post_init__(self) -> None:
        kinds: Any = self.on
        if isinstance(kinds, type):
            # Frozen dataclasses are set this way. A single class, or a list, is taken as a tuple.
            object.__setattr__(self, "on", (kinds,))
        elif not isinstance(kinds, tuple):
            check_several("on", kinds, "classes of exceptions", "write (ConnectionError,)")
            object.__setattr__(self, "on", tuple(kinds))
        checked: Any = self.on
        for kind in checked:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"Retry(on=…) wants classes of exceptions, got {kind!r}")
        number: Any = self.max_retries
        # `True` is an int in Python, and `max_retries=True` a mistake.
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"max_retries must be a whole number, got {number!r}")
        check_type("jitter", self.jitter, bool)
        check_type("timeouts", self.timeouts, bool)
        for name in ("max_retries", "initial", "max_delay"):
            number = getattr(self, name)
            check_type(name, number, (int, float))
            # Written so that NaN, which compares false with everything, is refused, too.
            if not number >= 0:
                raise ValueError(f"{name} must not be negative, got {number!r}")

    def delay(self, attempt: int, error: BaseException) -> float | None:
        """Returns how many seconds to wait after a failed attempt, or None to stop.

        Args:
            attempt: which attempt failed, from 1.
            error: what it raised.
        """
        # `on` may name a base of `UserError`, such as `Exception`; the model's mistake is never
        # retried.
        if isinstance(error, UserError) or not isinstance(error, Exception):
            return None
        return self.wait(attempt, error) if isinstance(error, self.on) else None

    def wait(self, attempt: int, error: Exception) -> float | None:
        """Returns what `delay` does, for an error that is to be retried in any case."""
        asked = _asked_wait(error)
        # A server that asks for more than the longest wait is not asked again before that time.
        if attempt > self.max_retries or asked > self.max_delay:
            return None
        # 2**60 times any wait is past every bound; beyond 2**1023 there is no float.
        bound = min(self.max_delay, self.initial * 2.0 ** min(attempt - 1, 60))
        # Drawn between zero and the bound: clients that failed together do not come back together.
        wait = random.uniform(0, bound) if self.jitter else bound  # noqa: S311 - no secret
        # The server's wait is a lower bound, and has no jitter.
        return max(wait, asked)


def _asked_wait(error: BaseException) -> float:
    """Returns the seconds that the server asks to wait; 0 if it does not ask."""
    asked = _seconds(getattr(error, "retry_after", None))
    if asked is not None:
        return asked
    # An HTTP error of `requests`, `httpx` and clients built on them: `error.response.headers`.
    headers = getattr(getattr(error, "response", None), "headers", None)
    return _seconds(_header(headers, "retry-after")) or 0.0


def _header(headers: object, name: str) -> object:
    """Returns a header's value whatever the case of its name, or None."""
    # The headers of those libraries don't mind the case of names, a plain dict does.
    if isinstance(headers, Mapping):
        return next((headers[each] for each in headers if str(each).lower() == name), None)
    get = getattr(headers, "get", None)
    return get(name) if callable(get) else None


def _seconds(asked: object) -> float | None:
    """Returns a wait written as a number of seconds or as an HTTP date; None for anything else."""
    if isinstance(asked, bool):
        return None
    # `retry_after` of a foreign exception: NaN and negative numbers are ignored.
    if isinstance(asked, int | float):
        return float(asked) if asked >= 0 and not math.isnan(asked) else None
    if not isinstance(asked, str):
        return None
    text = asked.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    # `Retry-After` is in GMT by the standard; one without a zone is taken for it.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - time.time())
