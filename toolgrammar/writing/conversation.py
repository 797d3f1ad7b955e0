r"""Writes a conversation in the shape of OpenAI's API as one prompt, in a format's wire text.

In: `{"role": "assistant", "content": "Hi.", "tool_calls": […]}`. Out: the turn of the assistant,
`<|im_start|>assistant\nHi.\n<tool_call>…</tool_call><|im_end|>`, among the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.tools.json_texts import read_json
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError, check_several
from toolgrammar.writing.read_back import read_message
from toolgrammar.writing.render import has_place_for, render_message
from toolgrammar.writing.results.json_lines import json_lines
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.results.render_results import render_results
from toolgrammar.writing.stretches import Stretch
from toolgrammar.writing.turns import Conversation, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.read_back import Writable
    from toolgrammar.writing.results.render_results import OnMarkup


SYSTEM: Final = frozenset({"system", "developer"})
"""The roles of messages of the developer."""
_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
"""The roles of messages that have a turn."""


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A result with the call that it answers."""

    call: ToolCall
    """The call, as it is on the wire."""
    content: str
    """The result of the tool."""


def render_conversation(
    fmt: Writable,
    messages: Iterable[Mapping[str, Any]],
    tools: Mapping[str, ToolSpec] | None,
    on_markup: OnMarkup,
    prompt: str = "",
) -> Conversation:
    """Returns the conversation as one text; see `Format.render_conversation`.

    Raises:
        RenderError: a message has no place in the format, or holds markup that is to be refused.
        TypeError: `messages` is not a list.
        ValueError: a message is of another shape.
    """
    given = _checked(messages)
    turns = Turns(fmt.header.turns)
    of_users = Markup(fmt.header, fmt.tables, "user")
    of_models = Markup(fmt.header, fmt.tables, "model")
    written: list[dict[str, str]] = []
    calls: dict[str, ToolCall] = {}
    answers: list[AnsweredCall] = []
    # One round more than there are messages: it writes the results at the end.
    for number, message in enumerate([*given, None]):
        role = None if message is None else message.get("role")
        # Results that follow each other are one message: a format may write them in one section.
        if answers and role != "tool":
            known = {*(tools or ()), *(call.name for call in calls.values())}
            text = results_text(fmt, answers, on_markup, known)
            written.append({"role": "tool", "content": text})
            answers = []
        if message is None:
            break
        assert role is not None
        without_turns = partial(_without_turns, turns, number=number, on_markup=on_markup)
        text = _text(message.get("content"), number)
        # Markup in results is escaped as the format's own text for them wants it.
        if role != "tool" or not fmt.header.turns:
            text = without_turns(text)
        if role == "user":
            text = _without_markup(of_users, text, number=number, on_markup=on_markup)
        if role == "assistant":
            # A model copies what a tool said into its arguments and its reasoning, too.
            own = _calls_without_turns(message, number, without_turns)
            clean = partial(_without_markup, of_models, number=number, on_markup=on_markup)
            reasoning = clean(without_turns(_reasoning(message, number)))
            said = {**message, "content": clean(text), "reasoning_content": reasoning}
            text = assistant_text(fmt, said, own, tools, number)
            # A result names its call by the id alone: `{"role": "tool", "tool_call_id": "c1", …}`.
            # On the wire it names it as the call stands there.
            wired = calls_as_written(fmt, text, own, tools)
            calls |= {call.id: each for call, each in zip(own, wired, strict=True) if call.id}
            written.append({"role": role, "content": text})
        elif role == "tool":
            answers.append(AnsweredCall(answered_call(message, calls), text))
        else:
            written.append({"role": "system" if role in SYSTEM else role, "content": text})
    taught = with_prompt(written, prompt) if prompt else written
    stops = dict.fromkeys([*fmt.header.stop, *turns.stops()])
    return Conversation(turns.written(taught), taught, stops)


def _checked(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the messages, each with a role that has a turn.

    Raises:
        TypeError: they are not a list.
        ValueError: a message is of another shape.
    """
    check_several("messages", messages, "a list of dicts", "write [message]")
    given = list(messages)
    for number, each in enumerate(given):
        check_message(each, number)
        _check_role(each["role"], number)
    return given


def _without_turns(turns: Turns, text: str, *, number: int, on_markup: OnMarkup) -> str:
    """Returns the text of a message in which nothing begins or ends a turn.

    Raises:
        RenderError: there is such markup, and it is to be refused; `number` is the message's place.
    """
    found = turns.found(text)
    if found and on_markup == "refuse":
        raise RenderError(f"message {number}: it holds markup of a turn: {found}")
    return turns.broken(text) if found else text


def _without_markup(markup: Markup, text: str, *, number: int, on_markup: OnMarkup) -> str:
    """Returns the text of a user or a model in which no markup stands that is not theirs to write.

    Raises:
        RenderError: there is some, and it is to be refused; `number` is the message's place.
    """
    found = markup.find(text)
    if found and on_markup == "refuse":
        raise RenderError(f"message {number}: it holds markup of the format: {found}")
    return markup.broken(text) if found else text


def _calls_without_turns(
    message: Mapping[str, Any], number: int, without_turns: Callable[[str], str]
) -> list[ToolCall]:
    """Returns the calls of a message, in whose arguments nothing begins or ends a turn."""
    calls = calls_of(message, number)
    return [replace(call, arguments=_mapped(call.arguments, without_turns)) for call in calls]


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Returns a JSON value with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_mapped(key, change): _mapped(each, change) for key, each in value.items()}
    return [_mapped(each, change) for each in value] if isinstance(value, list) else value


def with_prompt(messages: list[dict[str, Any]], prompt: str) -> list[dict[str, Any]]:
    """Returns messages whose first, the system's, ends with a prompt."""
    # Joined to the system message there is: many chat templates refuse a second one.
    prompt = prompt.strip()
    first = messages[0] if messages else {}
    content = first.get("content")
    if first.get("role") not in SYSTEM or not isinstance(content, str | list):
        return [{"role": "system", "content": prompt}, *messages]
    # A server may take text alone, so a text stays one.
    whole = (
        f"{content}\n\n{prompt}".lstrip()
        if isinstance(content, str)
        else [*content, {"type": "text", "text": f"\n\n{prompt}"}]
    )
    return [{**first, "content": whole}, *messages[1:]]


def check_message(message: object, number: int) -> None:
    """Checks that a message is an object with a role; `number` is its place.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(message, Mapping):
        raise ValueError(f"message {number}: expected an object, got {message!r:.80}")  # noqa: TRY004
    if not isinstance(message.get("role"), str):
        raise ValueError(  # noqa: TRY004
            f"message {number}: `role` must be a string, got {message.get('role')!r:.40}"
        )


def _check_role(role: str, number: int) -> None:
    """Checks the role of a message; `number` is its place.

    Raises:
        ValueError: it is another one, for which no format has a turn.
    """
    if role not in _ROLES:
        # OpenAI's API had the role `function` for them.
        raise ValueError(
            f"message {number}: `role` must be {', '.join(_ROLES[:-1])} or {_ROLES[-1]}, "
            f"got {role!r:.40}; the results of tools have the role `tool`"
        )


def assistant_text(
    fmt: Writable,
    message: Mapping[str, Any],
    calls: Sequence[ToolCall],
    tools: Mapping[str, ToolSpec] | None,
    number: int,
) -> str:
    """Returns the wire text of a model's message; ids may be omitted.

    So is reasoning, where the format has no place for any.

    Raises:
        RenderError: the format can't carry the message.
    """
    text = _text(message.get("content"), number)
    reasoning = _reasoning(message, number) if has_place_for(fmt, "reasoning") else ""
    # Markup in it, such as a closer that is quoted, is broken where it would be read as such.
    broken = Markup(fmt.header, fmt.tables).broken(reasoning)
    said = dict.fromkeys([reasoning, broken])
    ways = (way for each in said for way in _ways(fmt, each, text, calls))
    written, problem = _first(fmt, ways, tools)
    if written is None and reasoning:
        # A format may have no place for reasoning before a call, whatever it says.
        placed, _ = _first(fmt, _ways(fmt, "x", text, calls), tools)
        if placed is None:
            written, _ = _first(fmt, _ways(fmt, "", text, calls), tools)
    if written is None:
        raise RenderError(f"message {number}: {problem}") from problem
    return written


def _reasoning(message: Mapping[str, Any], number: int) -> str:
    """Returns the reasoning of a model's message, which servers call by either name."""
    return _text(message.get("reasoning_content") or message.get("reasoning") or "", number)


def _first(
    fmt: Writable, ways: Iterable[Sequence[Stretch]], tools: Mapping[str, ToolSpec] | None
) -> tuple[str | None, RenderError | None]:
    """Returns the text of the first way to say a message that the format can write, or why none."""
    problem: RenderError | None = None
    for way in ways:
        try:
            return render_message(fmt, way, tools), None
        except RenderError as error:
            # The plainest way failed first, and its reason is the one that a caller understands.
            problem = problem or error
    return None, problem


def _ways(
    fmt: Writable, reasoning: str, text: str, calls: Sequence[ToolCall]
) -> Iterator[Sequence[Stretch]]:
    """Yields the ways to say a message: a format may have no place for ids, or only for texts."""
    lead = (Stretch("reasoning", reasoning), Stretch("text", text))
    with_ids = Stretch("calls", calls=tuple(calls))
    bare = Stretch("calls", calls=tuple(ToolCall(call.name, call.arguments) for call in calls))
    # Ids are written where results name them, or where the wire can't do without: a model that
    # never saw ids in its calls would be shown some.
    for each in (with_ids, bare) if _names_ids(fmt) else (bare, with_ids):
        yield (*lead, each)
    for each in _with_texts(calls):
        yield (*lead, each)


def _with_texts(calls: Sequence[ToolCall]) -> Iterator[Stretch]:
    """Yields calls as the free-text calls that they may be: the API has none.

    There such a text is the argument `input`, or an argument of the tool's own, or it is empty.
    """
    for find in _text_in, _last_text, _no_text:
        found = [find(call) for call in calls]
        # One of several calls may be of another kind; where none is of this, there is nothing new.
        if any(call is not None for call in found):
            plain = (ToolCall(call.name, call.arguments) for call in calls)
            pairs = zip(found, plain, strict=True)
            yield Stretch("calls", calls=tuple(call or bare for call, bare in pairs))


def _text_in(call: ToolCall) -> ToolCall | None:
    text = call.arguments.get("input")
    rest = {key: value for key, value in call.arguments.items() if key != "input"}
    return ToolCall(call.name, rest, input=text) if isinstance(text, str) else None


def _last_text(call: ToolCall) -> ToolCall | None:
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    return ToolCall(call.name, call.arguments, input=texts[-1]) if texts else None


def _no_text(call: ToolCall) -> ToolCall | None:
    return ToolCall(call.name, call.arguments, input="")


def _names_ids(fmt: Writable) -> bool:
    """Whether the results of a format name the ids of their calls."""
    return any(production.role == "id" for production in fmt.tables.results)


def calls_as_written(
    fmt: Writable, text: str, calls: Sequence[ToolCall], tools: Mapping[str, ToolSpec] | None
) -> list[ToolCall]:
    """Returns the calls of a message with the ids that they have on the wire, or none."""
    # Ids matter only where a result may name them.
    if not calls or not _names_ids(fmt):
        return [ToolCall(call.name, call.arguments, input=call.input) for call in calls]
    read = [call for part in read_message(fmt, text, calls, tools) for call in part.calls]
    return [
        ToolCall(call.name, call.arguments, id=found.id, input=found.input)
        for call, found in zip(calls, read, strict=True)
    ]


def results_text(
    fmt: Writable, answers: Sequence[AnsweredCall], on_markup: OnMarkup, known: Iterable[str]
) -> str:
    """Returns the text of results that follow each other."""
    write = render_results if fmt.tables.results else json_lines
    return write(fmt, answers, on_markup=on_markup, known=known)


def calls_of(message: Mapping[str, Any], number: int) -> list[ToolCall]:
    """Returns the calls of a message; their arguments are a JSON string or an object.

    Raises:
        ValueError: a call is of another shape, or its arguments are no JSON object.
    """
    calls = []
    for identity, function in functions_of(message, number):
        name = function["name"]
        arguments = function.get("arguments") or {}
        if isinstance(arguments, str):
            try:
                arguments = read_json(arguments)
            except ValueError as problem:
                raise ValueError(
                    f"message {number}: the arguments of {name!r}: {problem}"
                ) from None
        if not isinstance(arguments, dict):
            raise ValueError(f"message {number}: the arguments of {name!r} are no object")  # noqa: TRY004
        calls.append(ToolCall(name, arguments, id=identity))
    return calls


def functions_of(
    message: Mapping[str, Any], number: int
) -> list[tuple[str | None, dict[str, Any]]]:
    """Returns the id and the `function` of each call of a message, which has a name.

    Raises:
        ValueError: a call is of another shape than `{"id": "c1", "function": {"name": "search"}}`.
    """
    found = message.get("tool_calls") or ()
    if not isinstance(found, list | tuple):
        raise ValueError(  # noqa: TRY004
            f"message {number}: `tool_calls` must be a list of calls, got {found!r:.80}"
        )
    functions = []
    for each in found:
        function = each.get("function") if isinstance(each, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str):
            raise ValueError(f"message {number}: no function is named in {each!r:.80}")  # noqa: TRY004
        # A result names its call by this text.
        if not isinstance(each.get("id"), str | None):
            raise ValueError(f"message {number}: the id of {name!r} must be a string")  # noqa: TRY004
        functions.append((each.get("id"), function))
    return functions


def answered_call(message: Mapping[str, Any], calls: Mapping[str, ToolCall]) -> ToolCall:
    """Returns the call that a result answers."""
    # The history may have been shortened: where the call is gone, the result may name the tool.
    found = calls.get(str(message.get("tool_call_id")))
    return found or ToolCall(str(message.get("name") or ""), id=message.get("tool_call_id"))


def _text(content: Any, number: int) -> str:
    """Returns the text of a message: a string, or blocks of text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = [each.get("text") if isinstance(each, dict) else None for each in blocks]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"message {number}: its content is no text")
    return "".join(text for text in texts if isinstance(text, str))
