"""When a failed attempt is followed by another one, and how long after it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.extras import require_extra
from toolgrammar.engine.failures import RetryableError, UserError

if TYPE_CHECKING:
    from tenacity import RetryCallState, Retrying

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
"""Seconds in a header: whole ones by the standard, others too by what servers send."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Which exceptions of a tool are retried, how often, and with what waits between.

    Raises:
        ValueError: a number is negative or none.
        TypeError: `on` names something else than exceptions.
    """

    max_retries: int = 1
    """How many attempts may follow the first one."""
    on: tuple[type[BaseException], ...] = (RetryableError,)
    """The exceptions that are retried; `UserError` never is."""
    initial: float = 0.1
    """The longest wait after the first attempt, in seconds; it doubles with every attempt."""
    max_delay: float = 30.0
    """The longest wait at all, in seconds."""
    jitter: bool = True
    """Whether a wait is drawn between zero and its bound; else it is the bound."""
    timeouts: bool = False
    """Whether an attempt that ran out of time is retried, though it may still be at work."""

    def __post_init__(self) -> None:
        kinds: Any = self.on
        if isinstance(kinds, type):
            object.__setattr__(self, "on", (kinds,))
        elif not isinstance(kinds, tuple):
            object.__setattr__(self, "on", tuple(kinds))
        checked: Any = self.on
        for kind in checked:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"Retry(on=…) wants classes of exceptions, got {kind!r}")
        number: Any = self.max_retries
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"max_retries must be a whole number, got {number!r}")
        for name in ("max_retries", "initial", "max_delay"):
            number = getattr(self, name)
            if not number >= 0:
                raise ValueError(f"{name} must not be negative, got {number!r}")

    def delay(self, attempt: int, error: BaseException) -> float | None:
        """Returns how many seconds to wait after a failed attempt, or None to stop.

        Args:
            attempt: which attempt failed, from 1.
            error: what it raised.
        """
        if isinstance(error, UserError) or not isinstance(error, Exception):
            return None
        return self.wait(attempt, error) if isinstance(error, self.on) else None

    def wait(self, attempt: int, error: Exception) -> float | None:
        """Returns what `delay` does, for an error that is to be retried in any case."""
        if self.max_retries == 0:
            return None
        asked = _asked_wait(error)
        if asked > self.max_delay:
            return None
        require_extra()
        from tenacity import DoSleep, RetryCallState

        retrying = _retrying(self.max_retries, self.initial, self.max_delay, self.jitter)
        retrying.begin()
        state = RetryCallState(retrying, fn=None, args=(), kwargs={})
        state.attempt_number = attempt
        state.set_exception((type(error), error, error.__traceback__))
        action = retrying.iter(state)
        return max(float(action), asked) if isinstance(action, DoSleep) else None


@lru_cache(maxsize=256)
def _retrying(max_retries: int, initial: float, max_delay: float, jitter: bool) -> Retrying:  # noqa: FBT001
    """Returns tenacity's word on when to stop and how long to wait; it never sleeps itself."""
    from tenacity import (
        Retrying,
        retry_always,
        stop_after_attempt,
        wait_exponential,
        wait_random_exponential,
    )

    strategy = wait_random_exponential if jitter else wait_exponential
    return Retrying(
        stop=stop_after_attempt(max_retries + 1),
        wait=strategy(multiplier=initial, max=max_delay),
        retry=retry_always,
        retry_error_callback=_stop,
    )


def _stop(_: RetryCallState) -> None:
    """Is what tenacity calls in place of raising after the last attempt."""


def _asked_wait(error: BaseException) -> float:
    """Returns the seconds that the other side asks to wait; 0 where it asks for nothing."""
    asked = _seconds(getattr(error, "retry_after", None))
    if asked is not None:
        return asked
    headers = getattr(getattr(error, "response", None), "headers", None)
    return _seconds(_header(headers, "retry-after")) or 0.0


def _header(headers: object, name: str) -> object:
    """Returns a header's value whatever the case of its name, or None."""
    if isinstance(headers, Mapping):
        return next((headers[each] for each in headers if str(each).lower() == name), None)
    get = getattr(headers, "get", None)
    return get(name) if callable(get) else None


def _seconds(asked: object) -> float | None:
    """Returns a wait written as a number of seconds or as an HTTP date; None for anything else."""
    if isinstance(asked, bool):
        return None
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
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - time.time())
