"""Checks the options of a caller, so that a mistake is reported at the call that made it.

`check_options(1, "", "", Limits())` raises `TypeError: strict must be a bool, got int`.
"""

from __future__ import annotations

from functools import lru_cache

from toolgrammar.values.limits import Limits
from toolgrammar.values.patterns import late

_CUT = late(
    # A limit was reached: `length`, `MAX_TOKENS`, `model_context_window_exceeded`.
    r"length|max_|limit|exceeded|context_window"
    # A filter stopped the answer: `content-filter`, `SAFETY`, `guardrail_intervened`,
    # `sensitive` of Zhipu and Tencent.
    r"|filter|safety|sensitive|block|prohibited|recitation|spii|guardrail|armor|refus|malformed|repetition"
    # The answer broke off: `abort`, `client_cancelled`, `insufficient_system_resource`, `timeout`.
    r"|abort|cancel|interrupt|error|fail|time_?d?_?out|insufficient|incomplete|not_finished|overload|turn_detected"
    # The reason of Gemini that is not specific.
    r"|\A(?:other|language)\Z"
)
"""The words in the finish reason of an answer that was cut, in lower case and with underscores.

The words are those of Anthropic, Bedrock, Cohere, DeepSeek, Gemini, OpenAI, Tencent, Zhipu, the AI SDK,
and servers of open models. Words are searched, not whole reasons, since new reasons contain the same words.
"""
_NEXT_WORD = late(r"(?<=[a-z])(?=[A-Z])|[-\s.]+")
"""The place before the next word of a reason: `maxTokens`, `content-filter`."""


def is_cut(finish_reason: object) -> bool:
    """Whether a finish reason means that the server cut the answer.

    Raises:
        TypeError: the finish reason is not a str.
    """
    if not isinstance(finish_reason, str):
        raise TypeError(f"finish_reason must be a str or None, got {type(finish_reason).__name__}")
    return _says_cut(finish_reason)


@lru_cache(maxsize=64)
def _says_cut(finish_reason: str) -> bool:
    # Gateways pass the reason of another API on, or spell it in their own way.
    return _CUT.search(_NEXT_WORD.sub("_", finish_reason).lower()) is not None


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
