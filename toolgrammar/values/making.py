"""Makes frozen values at the price of mutable ones, for the places that make most of them.

The `__init__` of a frozen dataclass goes through `object.__setattr__` for each field: 3 µs for a
call. An object of a mutable class with the same slots takes the class of the frozen one when its
fields are filled; CPython allows this where the layouts agree, and tests hold that they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolgrammar.values.calls import Edited, ParseResult, ToolCall
from toolgrammar.values.diagnostics import Diagnostic, Edit
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, ReasoningDelta, TextDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.values.calls import Status
    from toolgrammar.values.diagnostics import Severity


class _MutableSpan:
    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.__class__ = Span  # type: ignore[assignment]  # noqa: PLE0237


class _MutableCall(Edited):
    __slots__ = (
        "arguments",
        "depends_on",
        "doubts",
        "error",
        "format",
        "id",
        "input",
        "name",
        "raw_arguments",
        "span",
        "status",
    )

    def __init__(  # noqa: PLR0913, PLR0917  (the fields of a call)
        self,
        name: str,
        arguments: dict[str, Any],
        id: str | None,
        input: str | None,
        raw_arguments: str,
        span: Span,
        status: Status,
        depends_on: tuple[str, ...],
        format: str,
        error: str | None,
        doubts: tuple[str, ...],
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.id = id
        self.input = input
        self.raw_arguments = raw_arguments
        self.span = span
        self.status = status
        self.depends_on = depends_on
        self.format = format
        self.error = error
        self.doubts = doubts
        self.__class__ = ToolCall  # type: ignore[assignment]


class _MutableEdit:
    __slots__ = ("replacement", "span")

    def __init__(self, span: Span, replacement: str) -> None:
        self.span = span
        self.replacement = replacement
        self.__class__ = Edit  # type: ignore[assignment]  # noqa: PLE0237


class _MutableDiagnostic:
    __slots__ = ("code", "edits", "hint", "message", "path", "severity", "span")

    def __init__(
        self,
        code: str,
        severity: Severity,
        message: str,
        span: Span,
        edits: tuple[Edit, ...],
        path: str,
        hint: str,
    ) -> None:
        self.code = code
        self.severity = severity
        self.message = message
        self.span = span
        self.edits = edits
        self.path = path
        self.hint = hint
        self.__class__ = Diagnostic  # type: ignore[assignment]  # noqa: PLE0237


class _MutableArgumentsDelta:
    __slots__ = ("index", "json")

    def __init__(self, index: int, json: str) -> None:
        self.index = index
        self.json = json
        self.__class__ = ArgumentsDelta  # type: ignore[assignment]  # noqa: PLE0237


class _MutableCallStart:
    __slots__ = ("id", "index", "name")

    def __init__(self, index: int, name: str, id: str | None) -> None:
        self.index = index
        self.name = name
        self.id = id
        self.__class__ = CallStart  # type: ignore[assignment]  # noqa: PLE0237


class _MutableCallEnd:
    __slots__ = ("call", "index")

    def __init__(self, index: int, call: ToolCall) -> None:
        self.index = index
        self.call = call
        self.__class__ = CallEnd  # type: ignore[assignment]  # noqa: PLE0237


class _MutableTextDelta:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
        self.__class__ = TextDelta  # type: ignore[assignment]  # noqa: PLE0237


class _MutableReasoningDelta:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
        self.__class__ = ReasoningDelta  # type: ignore[assignment]  # noqa: PLE0237


class _MutableResult:
    __slots__ = ("calls", "diagnostics", "digest", "format", "reasoning", "source", "text")

    def __init__(
        self,
        calls: tuple[ToolCall, ...],
        text: str,
        reasoning: str,
        diagnostics: tuple[Diagnostic, ...],
        format: str,
        source: str,
        digest: str,
    ) -> None:
        self.calls = calls
        self.text = text
        self.reasoning = reasoning
        self.diagnostics = diagnostics
        self.format = format
        self.source = source
        self.digest = digest
        self.__class__ = ParseResult  # type: ignore[assignment]  # noqa: PLE0237


make_call = cast("type[ToolCall]", _MutableCall)
"""Makes a `ToolCall` of all its fields, in their order."""
make_span = cast("type[Span]", _MutableSpan)
"""Makes a `Span`."""
make_edit = cast("type[Edit]", _MutableEdit)
"""Makes an `Edit`."""
make_diagnostic = cast("type[Diagnostic]", _MutableDiagnostic)
"""Makes a `Diagnostic` of all its fields, in their order."""
make_result = cast("type[ParseResult]", _MutableResult)
"""Makes a `ParseResult` of all its fields, in their order."""
make_arguments_delta = cast("type[ArgumentsDelta]", _MutableArgumentsDelta)
"""Makes an `ArgumentsDelta`."""
make_call_start = cast("type[CallStart]", _MutableCallStart)
"""Makes a `CallStart` of all its fields, in their order."""
make_call_end = cast("type[CallEnd]", _MutableCallEnd)
"""Makes a `CallEnd`."""
make_text_delta = cast("type[TextDelta]", _MutableTextDelta)
"""Makes a `TextDelta`."""
make_reasoning_delta = cast("type[ReasoningDelta]", _MutableReasoningDelta)
"""Makes a `ReasoningDelta`."""
