"""Defines a tool call, and the result of reading one message.

`<tool_call>{"name": "now", "arguments": {"tz": "UTC"}}</tool_call>` gives a `ParseResult` with
`calls=(ToolCall(name="now", arguments={"tz": "UTC"}, status="complete", …),)` and `text=""`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, Self, TypeAlias, get_args

from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.errors import ToolGrammarError, check_several, check_type, described
from toolgrammar.values.plain import check_version, copy_json, headed
from toolgrammar.values.spans import NOWHERE, Part, Span

Status: TypeAlias = Literal["complete", "repaired", "truncated", "unreadable"]
"""`complete`: read without an edit. `repaired`: whole after edits. `truncated`: the text ended in it.
`unreadable`: the arguments could not be read."""

_STATUSES: Final[tuple[str, ...]] = get_args(Status)
_OF_IDS: Final = (str, type(None))
_SOUND: Final = (str, dict, tuple, tuple)


class PartsSource(Protocol):
    """Remembers how a message was read, and reads it again to find its parts."""

    def parts(self, result: ParseResult) -> tuple[Part, ...]:
        """Returns the parts of the message."""


class Read:
    """Adds a slot that records how a message was read; it is not a field of the dataclass."""

    __slots__ = ("_read_by",)

    _read_by: PartsSource

    def read_by(self, source: PartsSource) -> None:
        """Sets the source that `parts` asks for the parts of the message."""
        # The only way to fill a slot of a frozen class.
        object.__setattr__(self, "_read_by", source)


class Edited:
    """Adds a slot for the text that an edited call comes from; it is not a field of the dataclass."""

    __slots__ = ("_origin",)


@dataclass(frozen=True, slots=True)
class ToolCall(Edited):
    """One call of a tool.

    Two calls are equal if their names, arguments, ids, inputs and dependencies are: where and how
    they were written is not compared.
    """

    name: str
    """The tool's name."""
    arguments: dict[str, Any] = field(default_factory=dict, hash=False)
    """The arguments, as typed values; {} if there are none."""
    id: str | None = None
    """The id, as the model wrote it or as the format derives it; None if there is none."""
    input: str | None = None
    """The payload of a free-text call; None for every other."""
    raw_arguments: str = field(default="", compare=False)
    """Exactly what the model wrote as arguments."""
    span: Span = field(default=NOWHERE, compare=False)
    """Where the call is in the source, with its markup."""
    status: Status = field(default="complete", compare=False)
    """Whether the call is whole, and whether it was repaired."""
    depends_on: tuple[str, ...] = ()
    """The ids of the calls that have to run before this one."""
    format: str = field(default="", compare=False)
    """The id of the format it was written in; "" for a call made by hand."""
    error: str | None = field(default=None, compare=False)
    """Why the arguments could not be read; `arguments` is then {}."""
    doubts: tuple[str, ...] = field(default=(), compare=False)
    """The codes of repairs that may have guessed wrong."""

    def __post_init__(self) -> None:
        # Two comparisons, as the reader makes thousands: what is wrong is found out afterwards.
        kinds = type(self.name), type(self.arguments), type(self.depends_on), type(self.doubts)
        if kinds != _SOUND or self.status not in _STATUSES or type(self.id) not in _OF_IDS:
            self._check()

    def _check(self) -> None:
        """Checks the fields.

        Raises:
            TypeError: one is of another type.
            ValueError: there is no such status.
        """
        check_type("name", self.name, str, 'ToolCall("search", {"query": "tea"}) is one')
        check_type("arguments", self.arguments, dict, 'each by its name: {"query": "tea"}')
        check_type("id", self.id, _OF_IDS, 'write id="call_0"')
        check_several("depends_on", self.depends_on, "a tuple of ids", 'write ("call_0",)')
        check_several("doubts", self.doubts, "a tuple of codes", 'write ("mixed-escape",)')
        if self.status not in _STATUSES:
            names = ", ".join(_STATUSES)
            raise ValueError(f"status must be one of {names}; got {described(self.status)}")

    @property
    def executable(self) -> bool:
        """Whether the call may run without asking: it is whole, readable and has no doubts."""
        # A call made by hand may be complete and still have an error: all three have to agree.
        return self.status in {"complete", "repaired"} and self.error is None and not self.doubts

    def with_arguments(self, arguments: dict[str, Any]) -> ToolCall:
        """Returns a copy of the call with other arguments; it is complete and has no doubts."""
        edited = ToolCall(
            name=self.name,
            arguments=arguments,
            id=self.id,
            span=self.span,
            depends_on=self.depends_on,
            format=self.format,
        )
        # The only way to fill a slot of a frozen class. Ids are made from what the model had
        # written.
        object.__setattr__(edited, "_origin", self.origin)
        return edited

    @property
    def origin(self) -> str:
        """The arguments as the model wrote them, before any edit; generated ids depend on them."""
        # Reading an empty slot raises AttributeError, hence the default.
        return getattr(self, "_origin", "") or self.raw_arguments

    def feedback(self, tools: Iterable[object] | None = None) -> str:
        """Returns a message for the model about a call that did not run; "" if it may run.

        It is a short text: what was wrong, and how to write the call again.

        Args:
            tools: all tools, of any shape, or their names: an unknown tool is then reported too.
        """
        # An executable call may still name a tool that does not exist.
        if self.executable and tools is None:
            return ""
        from toolgrammar.values.feedback import call_feedback  # few messages need it

        return call_feedback(self, names_of(tools))

    def to_dict(self) -> dict[str, Any]:
        """Returns the call as plain JSON data."""
        return headed(self.body())

    def body(self) -> dict[str, Any]:
        """Returns what `to_dict` returns, without the version, for use inside a larger value."""
        return {
            "name": self.name,
            # A copy, so that changing the data does not change the call.
            "arguments": copy_json(self.arguments),
            "id": self.id,
            "input": self.input,
            "raw_arguments": self.raw_arguments,
            "span": self.span.to_dict(),
            "status": self.status,
            "depends_on": list(self.depends_on),
            "format": self.format,
            "error": self.error,
            "doubts": list(self.doubts),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        """Returns the call that `to_dict` wrote; `name` is the only required key."""
        check_version(data, "name")
        return cls(
            name=data["name"],
            # A copy here too: the caller may change the data later.
            arguments=copy_json(data.get("arguments", {})),
            id=data.get("id"),
            input=data.get("input"),
            raw_arguments=data.get("raw_arguments", ""),
            span=Span.from_dict(data["span"]) if "span" in data else NOWHERE,
            status=data.get("status", "complete"),
            depends_on=tuple(data.get("depends_on", ())),
            format=data.get("format", ""),
            error=data.get("error"),
            doubts=tuple(data.get("doubts", ())),
        )


@dataclass(frozen=True, slots=True)
class ParseResult(Read):
    """The result of reading one message."""

    calls: tuple[ToolCall, ...] = ()
    """The calls, in the order of the text."""
    text: str = ""
    """The message without calls and reasoning, stripped of leading and trailing white space."""
    reasoning: str = ""
    """The reasoning; "" if there is none."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """One for each repair, loss or doubt."""
    format: str = ""
    """The id of the format in which the message was read."""
    source: str = ""
    """The message as it was passed in, decoded."""
    digest: str = ""
    """The SHA-256 of the grammar that the message was read with."""

    @property
    def ok(self) -> bool:
        """Whether every call is executable and nothing was lost: no diagnostic is an error."""
        return not any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the message, in order: together they cover all of `source`.

        They are not stored: each access reads the message again, with the tools and the options of
        the first reading.

        Raises:
            ValueError: the result does not come from a parser: it was made from data, pickled or
                copied.
        """
        read_by = getattr(self, "_read_by", None)
        if read_by is None:
            raise ValueError(
                "a result knows its parts where it was read: "
                "parse(result.source, format=…, tools=…).parts has them"
            )
        return read_by.parts(self)  # type: ignore[no-any-return]

    def raise_for_errors(self) -> Self:
        """Returns the result itself if it is ok.

        Raises:
            ParseError: the result is not ok; the error has it as `result`.
        """
        if not self.ok:
            raise ParseError(self)
        return self

    def feedback(self, tools: Iterable[object] | None = None) -> str:
        """Returns a message for the model about its mistakes, one line per problem; "" if none.

        Args:
            tools: all tools, of any shape, or their names: unknown tools are then reported too.
        """
        from toolgrammar.values.feedback import result_feedback  # few messages need it

        return result_feedback(self.calls, self.diagnostics, self.source, names_of(tools))

    def lost_feedback(self) -> str:
        """Returns the lines of `feedback` that are about no call; "" if all of the message was read.

        A loop that answers each call, as `to_messages` does for refused ones, needs only these.
        """
        from toolgrammar.values.feedback import lost_feedback  # few messages need it

        return lost_feedback(self.calls, self.diagnostics, self.source)

    def unknown_tools(self, tools: Iterable[object] | None) -> tuple[str, ...]:
        """Returns the called names that belong to no tool, each once, in the order of the calls.

        Args:
            tools: tools of any shape that `parse` takes, or just their names.
        """
        known = names_of(tools) or {}
        return tuple(dict.fromkeys(call.name for call in self.calls if call.name not in known))

    def to_dict(self) -> dict[str, Any]:
        """Returns the result as plain JSON data."""
        return headed(
            {
                "ok": self.ok,
                "calls": [call.body() for call in self.calls],
                "text": self.text,
                "reasoning": self.reasoning,
                "diagnostics": [diagnostic.body() for diagnostic in self.diagnostics],
                "format": self.format,
                "source": self.source,
                "digest": self.digest,
            }
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParseResult:
        """Returns the result that `to_dict` wrote."""
        check_version(data)
        return cls(
            calls=tuple(ToolCall.from_dict(call) for call in data.get("calls", ())),
            text=data.get("text", ""),
            reasoning=data.get("reasoning", ""),
            diagnostics=tuple(Diagnostic.from_dict(each) for each in data.get("diagnostics", ())),
            format=data.get("format", ""),
            source=data.get("source", ""),
            digest=data.get("digest", ""),
        )


class ParseError(ToolGrammarError):
    """Raised by `raise_for_errors` for a result that is not ok.

    Attributes:
        result: the result, with everything that could be read.
    """

    def __init__(self, result: ParseResult) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        errors = [each for each in self.result.diagnostics if each.severity == "error"]
        # Possible only if the exception was made by hand: `raise_for_errors` raises for errors alone.
        if not errors:
            return "the result is not ok"
        first = errors[0]
        # The first error is shown, the others are counted: `feedback()` has them all.
        more = len(errors) - 1
        others = f" (and {more} more error{'s' if more > 1 else ''})" if more else ""
        return f"{first.code} at character {first.span.start}: {first.message}{others}"


def names_of(tools: Iterable[object] | None) -> dict[str, None] | None:
    """Returns the names of tools, in their order; None if no tools were given.

    Raises:
        TypeError: the tools are a string or a single tool, or one of them has no name.
    """
    if tools is None:
        return None
    # Tools by their names are taken, as an engine has them; the keys of one tool are no names.
    if not isinstance(tools, Mapping):
        check_several("tools", tools, "a list of tools or names")
    elif isinstance(tools.get("name"), str) or isinstance(tools.get("function"), Mapping):
        raise TypeError("tools must be a list of tools or names, got one dict; write [tool]")
    # Only the names are needed here, so no schemas are built.
    return {_name_of(tool): None for tool in tools}


def _name_of(tool: object) -> str:
    """Returns the name of a tool of any shape."""
    if isinstance(tool, str):
        return tool
    name: object
    if isinstance(tool, Mapping):
        # OpenAI wraps the tool: `{"type": "function", "function": {"name": …}}`.
        inner = tool.get("function")
        name = (inner if isinstance(inner, Mapping) else tool).get("name")
    elif isinstance(tool, type):
        name = tool.__name__
    else:
        # A tool object of MCP has a `name`, a Python function a `__name__`.
        name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"expected a tool or its name, got {type(tool).__name__} without a name")
    return name
