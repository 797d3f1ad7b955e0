"""Checks the options of a caller, so that a mistake is reported at the call that made it.

`check_options(1, "", "", Limits())` raises `TypeError: strict must be a bool, got int`.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.values.limits import Limits

_CUT: Final = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "model_length"),
        *("model_context_window_exceeded", "content_filter"),
        # Reasons of servers of open models and of gateways for an answer that broke off.
        *("abort", "error", "cancelled", "timeout"),
    }
)
"""The finish reasons of answers that were cut; `length` is that of chat completions."""


def is_cut(finish_reason: object) -> bool:
    """Whether a finish reason means that the server cut the answer.

    Raises:
        TypeError: the finish reason is not a str.
    """
    if not isinstance(finish_reason, str):
        raise TypeError(f"finish_reason must be a str or None, got {type(finish_reason).__name__}")
    # Some gateways pass the reason of another API on in capitals: `MAX_TOKENS`.
    return finish_reason.lower() in _CUT


def check_finish_reason(finish_reason: object) -> None:
    """Checks that a finish reason is a str, None, or a callable that returns one of them.

    Raises:
        TypeError: it is none of these.
    """
    # A callable is called when the chunks are over, and its result is checked then.
    if not (finish_reason is None or isinstance(finish_reason, str) or callable(finish_reason)):
        raise TypeError(
            f"finish_reason must be a str, None or a callable, got {type(finish_reason).__name__}"
        )


def check_options(strict: object, prefix: object, id_seed: object, limits: object) -> None:
    """Checks the types of options, so that a mistake shows at the first message.

    `strict=0`, for example, would be accepted by the shortcuts and refused by the driver.

    Raises:
        TypeError: an option has another type: "strict must be a bool, got int".
    """
    options = (
        ("strict", strict, bool),
        ("prefix", prefix, str),
        ("id_seed", id_seed, str),
        ("limits", limits, Limits),
    )
    for name, value, wanted in options:
        # Subclasses are accepted; `strict=1` is not, though it is true.
        if not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {wanted.__name__}, got {type(value).__name__}")
