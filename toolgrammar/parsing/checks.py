"""Looks at what a caller hands in, so that a mistake is told where it was made."""

from __future__ import annotations

from typing import Final

from toolgrammar.values.limits import Limits

_CUT: Final = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "model_length"),
        *("model_context_window_exceeded", "content_filter"),
        # Of servers of open models, and of gateways: the answer broke off.
        *("abort", "error", "cancelled", "timeout"),
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
    # Some gateways hand another API's word on in capitals: `MAX_TOKENS`.
    return finish_reason.lower() in _CUT


def check_finish_reason(finish_reason: object) -> None:
    """Makes sure that something tells why a server stops, or will.

    Raises:
        TypeError: it does not.
    """
    # A callable is asked when the chunks are over; what it returns is checked then.
    if not (finish_reason is None or isinstance(finish_reason, str) or callable(finish_reason)):
        raise TypeError(
            f"finish_reason must be a str, None or a callable, got {type(finish_reason).__name__}"
        )


def check_options(strict: object, prefix: object, id_seed: object, limits: object) -> None:
    """Makes sure that options are of their types, so that a mistake shows at the first message.

    `strict=0` would be read as False on the short ways and refused by others.

    Raises:
        TypeError: one is not: "strict must be a bool, got int".
    """
    options = (
        ("strict", strict, bool),
        ("prefix", prefix, str),
        ("id_seed", id_seed, str),
        ("limits", limits, Limits),
    )
    for name, value, wanted in options:
        # A subclass will do; `strict=1` will not, though it is true.
        if not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {wanted.__name__}, got {type(value).__name__}")
