r"""Applies roles to a message: opens sections, fills the parts of calls, closes calls.

Example: the role `name` with the token `"search"` opens a draft and names it `search`; so does
`list\_files` with `list_files`, if that is a known tool: Markdown has backslashes before underscores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.calls import call_ends
from toolgrammar.core.calls.wrappers import may_wrap
from toolgrammar.core.evidence.named_tools import named_as_in_a_call
from toolgrammar.core.machine.near_marks import is_near, may_be
from toolgrammar.core.message.doubled import undoubled
from toolgrammar.core.message.groups import Group
from toolgrammar.core.message.reports import doubt
from toolgrammar.core.payloads.json.tokens import decoded_token
from toolgrammar.core.payloads.json.whole import is_same
from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.core.payloads.raw.entities import decoded
from toolgrammar.core.trust.free_texts import argument_in
from toolgrammar.grammar.roles import GROUP_ROLES, MISSPELT
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.json_types import JsonValue

_ESCAPED: Final = "\\_"
_NEAR: Final = 64
"""The most characters of a token before the name in it."""


def plain_name(name: str) -> str:
    """Returns a name without the backslashes before its underscores."""
    return name.replace(_ESCAPED, "_")


def known_name(builder: Builder, draft: Draft, name: str, start: int) -> str:
    """Returns the name of a call, without such backslashes if that names a known tool.

    Removing them is reported as a repair.

    Args:
        builder: the message.
        draft: the call.
        name: its name, as written.
        start: the offset of the token that contains it.
    """
    plain = plain_name(name)
    # A tool may have a backslash in its name, and the name of an unknown tool may be right as it is
    # written.
    if plain == name or name in builder.tools or plain not in builder.tools:
        return name
    # The token may contain more than the name, as `<function=get\_weather>` does, so the name is
    # searched in it.
    written = builder.source.slice(start, start + len(name) + _NEAR)
    place = start + max(0, written.find(name))
    found = [place + at for at in range(len(name)) if name.startswith(_ESCAPED, at)]
    edits = tuple(Edit(Span(at, at + 1), "") for at in found)
    draft.mend_name()
    message = (
        f"Found backslashes before underscores in `{name[:64]}`, as in Markdown; left them out"
    )
    builder.report("backslash", "warning", message, Span(place, place + len(name)), edits=edits)
    return plain


def open_role(builder: Builder, role: str) -> None:
    """Opens a section if the role is one; a call opens with its first part."""
    if role in GROUP_ROLES:
        # `calls` has no mode; `parallel` and `sequential` are modes themselves.
        builder.open_group(Group(role if role != "calls" else ""))


def fill_part(builder: Builder, role: str, text: str, start: int, call_start: int) -> bool:
    """Fills a role with a token, unless the token is or contains arguments of the call.

    Args:
        builder: the message.
        role: the role of the token.
        text: the token as it is written.
        start: its offset.
        call_start: the offset of the part that may become a call.

    Returns:
        Whether the role was filled.
    """
    if _fill_outside_calls(builder, role, text, start, call_start):
        return True
    value = plain_text(builder, role, text)
    if role == "mode":
        # Any other word is ignored, and the section keeps its mode.
        if builder.group is not None and value.lower() in ("parallel", "sequential"):
            builder.group.set_mode(value.lower())
        return True
    draft = builder.open_draft(call_start)
    if role in ("name", "id"):
        _identify(builder, draft, role, text, start)
    # This role may come several times, as a call can depend on more than one other.
    elif role == "depends_on":
        draft.depend_on(value)
    elif role == "key":
        _take_key(builder, draft, value, text, start)
    else:
        return False
    return True


def _fill_outside_calls(
    builder: Builder, role: str, text: str, start: int, call_start: int
) -> bool:
    """Handles a role outside of calls, such as text or reasoning; returns whether it was one."""
    if role in ("text", "content"):
        builder.text(text, start)
    elif role == "reasoning":
        builder.reason(text)
    elif role == MISSPELT:
        pass  # the driver reports it
    elif role in ("observation", "answer"):
        # The markup that leads to it belongs to the other turn, too.
        begins = call_start if 0 <= call_start < start else start
        builder.turns.begin(role, begins, len(builder.calls))
        if role == "answer" and builder.draft is not None and builder.draft.name is not None:
            doubt_second(builder, "name", start, start + len(text))
    else:
        return False
    return True


def plain_text(builder: Builder, role: str, text: str) -> str:
    """Returns the text of a token: the content of a JSON string, with entities decoded."""
    value = decoded_token(text)
    return decoded(value) if role in builder.header.entities else value


def _identify(builder: Builder, draft: Draft, role: str, text: str, start: int) -> None:
    """Sets the name or the id of a call; doubts the call if it has one already."""
    value, between = plain_text(builder, role, text), builder.header.doubled
    if (draft.name if role == "name" else draft.id) is not None:
        doubt_second(builder, role, start, start + len(text))
    elif role == "name":
        value = known_name(builder, draft, value, start)
        draft.take_name(
            undoubled(value, between, builder.tools), undoubled(text, between, builder.tools)
        )
        if builder.turns.answer_start >= draft.start:
            doubt_second(builder, role, start, start + len(text))
        draft.doubts.extend(builder.take_doubts())
    else:
        draft.take_id(value)


def doubt_second(builder: Builder, role: str, start: int, end: int) -> None:
    """Doubts a call with a second name, id or arguments, of which the first ones count."""
    assert builder.draft is not None
    message = f"Found the {role} of a call for the second time; the first one stays"
    doubt(builder, builder.draft, "duplicate-key", message, Span(start, end))


def doubt_unusable_value(builder: Builder, start: int, call_start: int) -> None:
    """Doubts a call if another value than null stands in place of its arguments, or beside them.

    Args:
        builder: the message.
        start: the offset of the value that fills no role, such as null in `"arguments": null`.
        call_start: the offset of the part that may become a call.
    """
    draft = builder.draft
    if draft is not None and (draft.has_payload or draft.inputs is not None):
        doubt_second(builder, "arguments", start, start)
    elif builder.source.slice(start, start + 1) not in "nN":
        message = "Found a value in place of the arguments that they can't be; left it out"
        doubt(
            builder, builder.open_draft(call_start), "skipped-markup", message, Span(start, start)
        )


def _take_key(builder: Builder, draft: Draft, key: str, written: str, start: int) -> None:
    """Sets the key of the next value, and the role that the header gives to such a key."""
    key = key.strip()
    draft.take_key(key, written, builder.header.roles.get(key, ""))
    # A key such as `id` with a role of its own is not an argument: the arguments begin later.
    if not draft.wire_role:
        draft.begin_arguments(builder.token_start if builder.token_start >= 0 else start)


def take_argument(builder: Builder, draft: Draft, value: JsonValue, span: Span) -> None:
    """Sets the argument of the current key; if a key comes twice, the last value counts.

    Which of two different values was meant is ambiguous, so such a call is doubted.
    """
    arguments, key = draft.arguments, draft.key
    if key in arguments:
        report_twice(builder, draft, span, equal=is_same(arguments[key], value))
    spec = builder.spec()
    if spec is None or key not in spec.properties:
        doubt_unknown(builder, draft, value, span)
    arguments[key] = value


def doubt_unknown(builder: Builder, draft: Draft, value: JsonValue, span: Span) -> None:
    """Doubts a call with an argument unknown to its tool, if that may be or contain a known one."""
    key, spec = draft.key, builder.spec()
    known = spec.properties if spec is not None else {}
    # If the tool has a property `location` without a value so far, `locaton` is likely a
    # misspelling of it.
    near = [each for each in known if each not in draft.arguments and _is_spelling(key, each)]
    # `argumens` may wrap all other arguments, as `arguments` would.
    if may_wrap(builder.header.unwrap, key, value):
        near += builder.header.unwrap[:1]
    code, message = "inner-argument", ""
    if near:
        code, message = "misspelt", f"Found argument `{key[:40]}`, which may be `{near[0][:40]}`"
    elif spec is not None and isinstance(value, str):
        if named_as_in_a_call(value, {spec.name: spec}, ()) is not None:
            message = f"Found a call of `{spec.name[:40]}` in an argument that it does not have"
        elif tag := argument_in(value, known):
            message = f"Found `{tag[:40]}` in an argument that the tool does not have"
    if message:
        doubt(builder, draft, code, message, span, path=f"$.{key}")


def _is_spelling(word: str, key: str) -> bool:
    """Whether a word may be a key that is misspelt, or in capitals."""
    return is_near(word, key) or may_be(word, key) or word.casefold() == key.casefold()


def report_twice(
    builder: Builder, draft: Draft, span: Span, *, equal: bool, path: str = ""
) -> None:
    """Reports a key that comes twice; doubts the call unless its values are equal."""
    # `{"a": 1, "a": 1}` has equal values, so the call is the same whichever of them counts.
    if not equal:
        draft.doubts.append("duplicate-key")
    severity = "warning" if equal else "error"
    path = path or f"$.{draft.key}"
    builder.report("duplicate-key", severity, MESSAGES["duplicate-key"], span, path=path)


def close_role(builder: Builder, role: str, end: int) -> None:
    """Closes a call, the arguments or a section at an offset."""
    draft = builder.draft
    if role == "call":
        if draft is not None:
            call_ends.end(builder, draft, end)
    elif role == "argument":
        if draft is not None and draft.arguments_start >= 0:
            draft.end_arguments(end)
    elif role in GROUP_ROLES:
        builder.report_skipped()
        builder.take_group()
