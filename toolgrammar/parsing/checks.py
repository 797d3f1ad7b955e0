"""Looks at what a caller hands in, so that a mistake is told where it was made."""

from __future__ import annotations

from typing import Final

from toolgrammar.values.limits import Limits

_CUT: Final = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "model_length"),
        *("model_context_window_exceeded", "content_filter"),
    }
)
"""What APIs say of an answer that they cut: the first is that of chat completions."""


def is_cut(finish_reason: object) -> bool:
    """Tells whether a server says that it cut the answer.

    Raises:
        TypeError: what it says is no str.
    """
    if not isinstance(finish_reason, str):
        raise TypeError(f"finish_reason must be a str or None, got {type(finish_reason).__name__}")
    return finish_reason in _CUT


def check_finish_reason(finish_reason: object) -> None:
    """Makes sure that something tells why a server stops, or will.

    Raises:
        TypeError: it does not.
    """
    if not (finish_reason is None or isinstance(finish_reason, str) or callable(finish_reason)):
        raise TypeError(
            f"finish_reason must be a str, None or a callable, got {type(finish_reason).__name__}"
        )


def check_limits(limits: object) -> None:
    """Makes sure that limits are some.

    Raises:
        TypeError: they are not.
    """
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be a Limits, got {type(limits).__name__}")


def check_strict(strict: object) -> None:
    """Makes sure that `strict` is a bool.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(strict, bool):
        raise TypeError(f"strict must be a bool, got {type(strict).__name__}")
