"""Defines what the shortcuts need of a format, and what they leave to the driver.

Examples: the token `<tool_call>` opens a call, which both shortcuts can do; the fence of a code block
is closed by a fence of the same length, so it is left to the driver. So is the end of a call without
a closer, before `limit=3` on the next line, which may be one of its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.calls.wrappers import any_wrapped
from toolgrammar.core.evidence.member_behind import may_go_on
from toolgrammar.core.evidence.named_tools import oddity
from toolgrammar.core.evidence.used import touches
from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.core.payloads.json.typing_rules import (
    is_broken_json,
    may_be_json,
    needs_typing,
    shaped,
)
from toolgrammar.core.payloads.json.whole import repeats_key
from toolgrammar.core.state.doubts import NEAR, ends_with_closer
from toolgrammar.core.trust.beside_arguments import is_plain
from toolgrammar.core.trust.stray_reasoning_closer import with_halves
from toolgrammar.patterns.partial import MOST_BLANKS
from toolgrammar.patterns.trim import NONE, ONE_NEWLINE, STRIP
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.shortcuts.whole.fused_tokens import FusedTokens
    from toolgrammar.grammar.header import Header
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec

_OF_TOKENS = frozenset({"name", "key"})  # Roles that tokens fill, and no raw text.
_LEAVES = frozenset({"", "name", "id", "key"})
_OPENED = frozenset({"", "call", "argument", "calls", "parallel"})
_ENDS_FOR_DRIVER = frozenset({"sequential", "result", "results"})


def needs_driver(step: Step) -> bool:
    """Whether a token needs state that only the driver has.

    Such tokens are fences and marks that their closers repeat, those that fill a role from the
    header, and those of dependencies between calls or of tool results.
    """
    terminal = step.terminal
    roles = (step.role, *(role for _, role in terminal.groups))
    return (
        bool(step.constants)
        or terminal.is_fence
        or terminal.is_mark
        or (step.kind == "same" and terminal.name not in ("SAME_NAME", "SAME_KEY"))
        or step.opens not in _OPENED
        or not _LEAVES.issuperset(roles)
        or not _ENDS_FOR_DRIVER.isdisjoint((*step.closes_before, *step.closes))
    )


class ShortcutRules:
    """The rules of a format on which the reading of a sound message depends."""

    # This is not a named tuple, since the attributes of an object are read faster, and these are
    # read for each message.
    def __init__(
        self, header: Header, digest: str, closers: Iterable[str], machine: Machine | None
    ) -> None:
        self.id = header.id
        self.digest = digest
        self.trim: Mapping[str, str] = header.trim
        self.unwrap = tuple(header.unwrap)
        """The keys that may contain all arguments of a call."""
        self.awaits_answer = bool(header.answer)
        """Whether a final answer may put a call in doubt, so that the end of the call waits."""
        self.has_lines = header.messages == "lines"
        """Whether a line end is inserted between the texts of several envelopes."""
        self.entities = bool(header.entities)
        self.has_raw_entities = not _OF_TOKENS.issuperset(header.entities)
        """Whether `&` in raw text may begin an entity."""
        self.drops = header.unknown_arguments == "drop"
        """Whether arguments that the tool does not have are dropped."""
        self.judges = bool(self.unwrap) or self.drops or header.no_calls != ""
        """Whether calls need checks for wrapped or dropped arguments and the name of no call."""
        self.by_shape = header.types == "shape"
        """Whether a raw value that is JSON has the type of that JSON."""
        self.no_calls = header.no_calls
        """The name that means no call, or ""."""
        self.closers = with_halves(closers)
        """The closers of reasoning, and the first halves of those of two special tokens."""
        self.machine = machine
        """The machine of the format; None if it depends on the names of the tools."""


_KEY_BEFORE = late(r'"(\w{1,16})"\s{0,64}:\s{0,64}\Z')


def is_over(node: Node, text: str, position: int, step: Step | None) -> bool | None:
    """Whether the open call ends at a node where text may follow; None if not certain.

    Args:
        node: the node.
        text: the text.
        position: the index after what was read of the call.
        step: the payload that was read last; None for a token.
    """
    match = node.token.match(text, position)
    group = match.lastgroup if match is not None else None
    if group is not None:
        return "call" in node.steps[group].closes_before
    # A payload may still come, or the text ends where the grammar expects more.
    if node.payloads or (node.closes_at_end is None and not text[position:].strip()):
        return None
    return True if ends_plainly(text, position, step) else None


def ends_plainly(text: str, position: int, step: Step | None) -> bool:
    """Whether the text after a call without a closer can't be one of its arguments."""
    before, behind = text[position - 1 : position], text[position : position + 1]
    # `limit=3` on the next line may be an argument that the model wrote outside of the call.
    if (before == "\n" and behind.strip("\r\n")) or touches(before, behind):
        return False
    # `, "limit": 3}` after an object may belong to it.
    is_payload = step is not None and step.role == "arguments"
    return may_go_on(text, position, is_payload=is_payload) is False


def raw_part(
    text: str, fused: FusedTokens, start: int, trim: str, name: str, key: str
) -> tuple[str, int] | None:
    """Returns a raw payload, trimmed, and the index after it; None if it has to be judged.

    Args:
        text: the message.
        fused: the fused run before the payload.
        start: the index where the payload begins.
        trim: the trim mode of the header; "" if it has none for this payload.
        name: the name of the call, as written, which a closer may repeat.
        key: the key of the argument, as written, which a closer may repeat.
    """
    raw, find_end = fused.raw, fused.find_end
    match = find_end(text, start) if find_end is not None else None
    # Other markup than the closer, such as an opener in the value, has to be judged.
    if fused.payload is not None and fused.payload.is_fallback:
        return None  # the driver doubts it
    if raw is None or match is None or not raw.closes(match):
        return None
    if raw.repeats and not repeats_rightly(match, name, key):
        return None
    end = match.start()
    # If only the call has a closer, another closer right before it may belong to the value.
    if raw.call_closes_alone and ends_with_closer.search(text[max(start, end - NEAR) : end]):
        return None
    if raw.marks.damaged(text[start:end], name, key) is not None:
        return None
    if fused.skips_blanks:
        # The closer takes at most so much white space; more belongs to the value.
        near = max(start, end - MOST_BLANKS)
        end = near + len(text[near:end].rstrip())
    mode = trim or fused.trim
    part = trimmed(text[start:end], mode, before=fused.before or mode != fused.trim)
    return None if part is None else (part, end)


def typed_value(
    spec: ToolSpec | None, key: str, text: str, *, by_shape: bool, typed: bool = True
) -> tuple[JsonValue, bool]:
    """Returns the value of a raw text by the schema of its key, and whether it fits.

    A key that the tool does not have may be a misspelt one, so it does not fit: the driver decides.

    Args:
        spec: the tool; None if it is not known.
        key: the key of the argument.
        text: the text of the argument.
        by_shape: whether a text that is JSON is read as JSON, if the schema allows several types.
        typed: whether the schema decides the type; if not, the value is the text.
    """
    if spec is not None and spec.properties and key not in spec.properties:
        return text, False
    # The order matters: an untyped value may belong to a misspelt key as well.
    if not typed:
        return text, True
    if by_shape:
        schema = spec.shape.schema_of(key) if spec is not None else None
        first = text.lstrip()[:1]
        if is_broken_json(text, schema):
            return text, False  # the driver doubts the call
        # A stream decides this at the first character, so it is decided here in the same way.
        is_text = first and is_text_only(schema) and not may_be_json(first, schema)
        value, fitting = (text, True) if is_text else shaped(text, schema)
    # `007` is text for a key of type string; without a known tool every value is text.
    elif spec is None or guide_of_tool(spec).is_text(key):
        return text, True
    else:
        value, fitting = type_text(text, spec.shape.schema_of(key))
    # The driver reports a key that comes twice.
    return value, fitting and not (isinstance(value, dict | list) and repeats_key(text))


def fits(spec: ToolSpec | None, value: JsonValue, key: str | None = None) -> bool:
    """Whether arguments, or the argument of a key, need no conversion by the schema."""
    if spec is None or spec.parameters is None:
        return True
    # A key that the tool does not have may be misspelt, which the driver decides.
    if key is not None and spec.properties and key not in spec.properties:
        return False
    wanted: Guide | None = guide_of_tool(spec)
    if wanted is not None and key is not None:
        wanted = wanted.member(key)
    return wanted is None or not needs_typing(value, wanted)


def lacks_required(spec: ToolSpec | None, arguments: Mapping[str, object] | None) -> bool:
    """Whether an argument is missing that the tool requires, as if the text was cut."""
    return spec is not None and not set(spec.required).issubset(arguments or ())


def is_plain_member(text: str, start: int, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether the value at an index belongs to a member that has no meaning for the call."""
    # The driver judges any other member, which may be the arguments.
    key = _KEY_BEFORE.search(text[max(0, start - NEAR) : start])
    return key is not None and is_plain(key[1], tools.values())


def is_judged(rules: ShortcutRules, calls: list[ToolCall], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether a call may mean no call, or has an argument that wraps all others or is dropped."""
    if may_be_none(rules.no_calls, calls, specs):
        return True
    return any_wrapped(rules.unwrap, calls) or (rules.drops and leaves_out(calls, specs))


def may_be_none(no_calls: str, calls: Iterable[ToolCall], tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a call has the name that means no call, or a similar one."""
    return no_calls != "" and any(oddity(call.name, tools, no_calls) for call in calls)


def leaves_out(calls: Iterable[ToolCall], tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a call has an argument that its tool does not have."""
    for call in calls:
        spec = tools.get(call.name)
        if (
            spec is not None
            and spec.properties
            and not call.arguments.keys() <= spec.properties.keys()
        ):
            return True
    return False


def repeats_rightly(match: re.Match[str], name: str, key: str) -> bool:
    """Whether the closer of a raw payload that repeats a name or a key repeats the right one."""
    for group, value in match.groupdict().items():
        expected = name if "_SAME_NAME_" in group else key
        if value is not None and "_SAME_" in group and value != expected:
            return False
    return True


def trimmed(text: str, mode: str, *, before: bool) -> str | None:
    """Returns a complete payload, trimmed; None if the driver's trimmer has to do it."""
    if mode == NONE:
        return text
    if mode == STRIP:
        return text.strip()
    # Other modes, and line ends of two characters, are left to the trimmer.
    if mode != ONE_NEWLINE or "\r" in text:
        return None
    if before and text.startswith("\n"):
        text = text[1:]
        # A single line end counts as the one at the beginning, and is removed only once.
        if not text:
            return text
    return text.removesuffix("\n")
