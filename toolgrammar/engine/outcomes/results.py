"""Defines `ToolResult`, the value or the error of one call.

A result with the value `{"temp": 21}` has `ok == True` and the content `{"temp":21}`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from toolgrammar.engine.outcomes.failures import ToolError
from toolgrammar.engine.outcomes.media import blocks_of, text_of_block
from toolgrammar.engine.outcomes.text_json import compact_json
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import ToolGrammarError
from toolgrammar.values.plain import check_version, copy_json, headed, sound

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of one call: a value or an error."""

    call: ToolCall
    """The call, the object that was passed in, not a copy."""
    value: Any = field(default=None, hash=False)
    """What the tool returned, as plain JSON data; None if the call failed."""
    error: ToolError | None = None
    """Why there is no value; None if there is one."""
    cached: bool = False
    """Whether the value comes from the cache."""
    attempts: int = 0
    """How many attempts were started."""
    seconds: float = 0.0
    """How long the whole call took."""
    index: int | None = None
    """The place of the call in its message; None if it ran alone."""

    @property
    def ok(self) -> bool:
        """Whether the call has a value."""
        return self.error is None

    @property
    def content(self) -> str:
        """The result as text for the model: a string as it is, anything else as compact JSON.

        Media are written as placeholders: `[image/png, 1,024 bytes]`. Half a surrogate pair, which
        no request can carry, becomes U+FFFD.
        """
        return sound(self._text())

    def _text(self) -> str:
        if self.error is not None:
            return f"Error: {self.error}"
        if isinstance(self.value, str):
            return self.value
        # Placeholders, since base64 is of no use to a model as text.
        blocks = blocks_of(self.value)
        if blocks is not None:
            return "\n".join(map(text_of_block, blocks))
        return compact_json(self.value)

    def raise_for_error(self) -> Self:
        """Returns the result itself if it is ok.

        Raises:
            ToolFailed: the result is not ok; the exception has it as `result`.
        """
        if self.error is not None:
            raise ToolFailed(self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Returns the result as plain JSON data."""
        error = self.error
        return headed(
            {
                "ok": self.ok,
                "call": self.call.body(),
                "value": copy_json(self.value),
                "error": None if error is None else {"code": error.code, "message": error.message},
                "cached": self.cached,
                "attempts": self.attempts,
                "seconds": self.seconds,
                "index": self.index,
            }
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolResult:
        """Returns the result that `to_dict` wrote; `call` is the only required key."""
        check_version(data, "call")
        error = data.get("error")
        return cls(
            call=ToolCall.from_dict(data["call"]),
            value=copy_json(data.get("value")),
            error=None if error is None else ToolError(error["code"], error["message"]),
            cached=data.get("cached", False),
            attempts=data.get("attempts", 0),
            seconds=data.get("seconds", 0.0),
            index=data.get("index"),
        )


class ToolFailed(ToolGrammarError):  # noqa: N818 - a public name
    """Raised by `raise_for_error` for a result that is not ok.

    Attributes:
        result: the result, with its error.
    """

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        return f"{self.result.call.name}: {self.result.error}"
