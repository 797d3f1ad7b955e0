"""Doubts a mended call if its name or values show that the repair may be wrong.

Example: `{"name": "f", "arguments": {"a": 1, "arguments": {"a": 2}}` lacks a brace. With the brace inserted
the call has arguments inside its arguments, so the model may have begun the call again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.evidence.mended_brackets import (
    closes_lone_item,
    lacks_bracket,
    leaves_out_bracket,
    puts_in_brace,
    replaces_opener,
)
from toolgrammar.core.evidence.named_tools import named_as_in_a_call
from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS
from toolgrammar.core.message.reports import doubt
from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.core.trust.mended_values import (
    begins_with,
    ends_in_list,
    ends_with_stray,
    has_lone_quote,
    has_odd_key,
    holds_bracket,
    holds_closer,
    holds_key,
    holds_member,
    holds_object,
    is_placeholder,
    lists_of,
    objects_of,
    strings_of,
)
from toolgrammar.tools.fits import fits
from toolgrammar.values.codes import SPELLINGS
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec

_TYPED: Final = frozenset({"schema-type", "decoded"})
"""The codes of changes that are certain, because of the schema or the value itself."""
_MARKS: Final = {"comma": ",", "bracket": "}])", "missing-close-tag": "}])"}
"""For each code of an inserted delimiter, the characters that may have slipped into a string."""
_OF_QUOTES: Final = frozenset({"inner-quote", "missing-quote"})
"""The codes of mended quotes."""


class Mended(NamedTuple):
    """A mended call, as the rules need it."""

    name: str
    arguments: dict[str, JsonValue]
    found: Sequence[Diagnostic]
    """The diagnostics of the call."""
    codes: AbstractSet[str]
    """The codes of its repairs that have no doubt of their own."""
    spec: ToolSpec | None

    @property
    def strings(self) -> Iterator[str]:
        """The strings in its arguments."""
        return strings_of(self.arguments)

    @property
    def awaited(self) -> AbstractSet[str]:
        """The names of the tool's arguments that the call lacks; empty if the tool is not known."""
        return self.spec.properties.keys() - self.arguments.keys() if self.spec else frozenset()

    def declares(self, key: str) -> bool:
        """Whether the tool is known, and has an argument of this name."""
        return self.spec is not None and key in self.spec.properties


def doubt_mended(builder: Builder, draft: Draft) -> None:
    """Doubts a mended call whose name or values show that a repair may be wrong."""
    found = builder.diagnostics_of(draft)
    counted = builder.listing.checkpoint().rest.keys()
    codes = sure_codes(found) | (counted - _TYPED)
    # A call with a doubt does not run anyway, so no further reasons are looked for.
    if not draft.repaired or not codes or draft.doubts:
        return
    inside = bool(counted) or any(_is_inside(draft, each) for each in found)
    mended = Mended(draft.name or "", draft.arguments, found, codes, builder.spec())
    if reason := reason_to_doubt(mended, inside=inside):
        doubt(builder, draft, *reason, Span(draft.start, draft.start))


def sure_codes(found: Iterable[Diagnostic]) -> set[str]:
    """Returns the codes of repairs without a doubt of their own, which could be wrong silently."""
    return {each.code for each in found if each.severity == "warning"} - _TYPED


def changes_values(codes: AbstractSet[str]) -> bool:
    """Whether repairs with these codes can result in other keys or types than were meant."""
    return not codes <= SPELLINGS


def reason_to_doubt(mended: Mended, *, inside: bool) -> tuple[str, str] | None:
    """Returns the code and the message of the first doubt about a mended call; None if there is none.

    Args:
        mended: the call.
        inside: whether something was mended in the arguments, not in the markup around them.
    """
    if inside and not _is_taken(mended.arguments, mended.spec):
        message = "Found arguments that were mended, and that the tool's schema does not take"
        return "schema-mismatch", message
    return next(((code, message) for code, message, holds in _RULES if holds(mended)), None)


def _is_taken(arguments: dict[str, JsonValue], spec: ToolSpec | None) -> bool:
    """Whether arguments fit their tool, if it is known."""
    if spec is None:
        return True
    # A quote that was inserted at the wrong place often results in a key that the tool does not have,
    # which the schema seldom forbids.
    return guide_of_tool(spec).admits(arguments) and fits(arguments, spec.shape.schema)


# The rules. Each returns whether the repaired call shows that text was lost or belongs elsewhere.


def _nests_arguments(mended: Mended) -> bool:
    """Whether a brace was inserted, and the arguments contain arguments.

    As in `{"name": "f", "arguments": {"a": "x", "arguments": {"a": "y"}}`, from the first list or object
    on in `{"stops": [{"stops": [1, 2], "days": 3}`, or with one that the call lacks in `{"a": {"days": 3}`.
    """
    arguments = mended.arguments
    if not any(map(puts_in_brace, mended.found)):
        return False
    own = {key for key in KEYS_OF_ARGUMENTS if mended.declares(key)}
    first, awaited = next(iter(arguments), ""), mended.awaited
    return holds_object(arguments, KEYS_OF_ARGUMENTS - own) or any(
        holds_object(part, KEYS_OF_ARGUMENTS)
        or begins_with(part, first)
        or not awaited.isdisjoint(part)
        for part in objects_of(arguments)
        if part is not arguments
    )


def _holds_next_call(mended: Mended) -> bool:
    """Whether an argument has the name of the call, as `f` in `<f><a>1</a></fx><f>…</f>`."""
    return mended.name in mended.arguments and not mended.declares(mended.name)


def _has_odd_key(mended: Mended) -> bool:
    r"""Whether a key has characters that no key has, as in `{Ok. <tool_call>{"name": …`."""
    return has_odd_key(mended.arguments)


def _lost_text(mended: Mended) -> bool:
    """Whether a delimiter is missing and there is a bracket too many, as in `{"a": ["b", "c": 0}}`."""
    found = mended.found
    lacks = "comma" in mended.codes or any(map(lacks_bracket, found))
    return lacks and any(map(leaves_out_bracket, found))


def _closes_lost_list(mended: Mended) -> bool:
    """Whether an object is closed like a list, as `{"a": "b"]` is: it may contain a list without opener.

    With a schema, a list that lost its opener would not fit it. In `{]` everything may be lost.
    """
    return (mended.spec is None or not mended.arguments) and any(
        edit.replacement == "}" and edit.span.end > edit.span.start
        for each in mended.found
        if each.code == "bracket"
        for edit in each.edits
    )


def _opens_twice(mended: Mended) -> bool:
    """Whether the opener of a list whose closer was inserted may be one too many.

    As in `{"a": [["b", "c"], "d": 1}`, in `{"a": ("b"}`, where another mark stands for it, or, where
    no schema wants a list, in `{"a": ["b"}`.
    """
    if not any(map(lacks_bracket, mended.found)):
        return False
    if any(map(replaces_opener, mended.found)):
        return True
    lone = any(map(closes_lone_item, mended.found))
    return any(
        ends_in_list(each) or (lone and len(each) == 1 and not _is_wanted(each, mended))
        for each in lists_of(mended.arguments)
        if each
    )


def _is_wanted(items: list[JsonValue], mended: Mended) -> bool:
    """Whether the schema of the tool wants a list where these items are."""
    parts = guide_of_tool(mended.spec).parts(mended.arguments) if mended.spec else ()
    return any(part is items and "array" in (guide.types or ()) for part, guide in parts)


def _holds_damaged_closer(mended: Mended) -> bool:
    """Whether the end of a value may be its closer, damaged, as in `"text": "done</tool_cal`."""
    return "missing-close-tag" in mended.codes and any(map(holds_closer, mended.strings))


def _holds_arguments_behind(mended: Mended) -> bool:
    """Whether text without quotes may contain a bracket or a member that belongs behind it.

    In `{"a": Ne{w York}` it may contain the bracket that was inserted; in `{"a": (x", "b": 1}` it
    goes on to the end of the object.
    """
    takes_bracket = not mended.codes.isdisjoint(("bracket", "missing-close-tag"))
    holds = holds_bracket if takes_bracket else holds_member
    return "bare-text" in mended.codes and any(map(holds, mended.strings))


def _holds_awaited(mended: Mended) -> bool:
    """Whether a string with mended quotes may contain an argument that is missing.

    Damage may turn `{"path": "a", "city": "b"}` into `{"path": "a, "city: "b"}`.
    """
    awaited = mended.awaited
    return not mended.codes.isdisjoint(_OF_QUOTES) and any(
        holds_key(text, awaited) for text in mended.strings
    )


def _holds_own_name(mended: Mended) -> bool:
    r"""Whether a string with mended quotes may contain the call once more: `x"\nsend({to:"y`."""
    if mended.spec is None or mended.codes.isdisjoint(_OF_QUOTES):
        return False
    tools = {mended.name: mended.spec}
    return any(named_as_in_a_call(text, tools, ()) for text in mended.strings)


def _lost_typographic_quote(mended: Mended) -> bool:
    """Whether a string has a typographic quote without its partner, as in `[“a, “b”]`, `{"a": b”}`."""
    takes_quotes = not mended.codes.isdisjoint(("bare-text", "quote-style"))
    return takes_quotes and any(map(has_lone_quote, mended.strings))


def _stands_for_value(mended: Mended) -> bool:
    """Whether text without quotes is a placeholder, as in `["a", ...]`, `{"a": $X}`, `{"a": <x>}`.

    In `{"city": city}` it is the name of a variable.
    """
    if "bare-text" not in mended.codes:
        return False
    names_itself = any(key == value for key, value in mended.arguments.items())
    return names_itself or any(map(is_placeholder, mended.strings))


def _swallows_next_call(mended: Mended) -> bool:
    """Whether an argument unknown to the tool contains known ones, so that it may be the next call.

    Example: the object `invoke`, if `<invoke>` was written for `</invoke>`.
    """
    if mended.spec is None or "missing-close-tag" not in mended.codes:
        return False
    known = mended.spec.properties.keys()
    others = mended.arguments.keys() - known - KEYS_OF_ARGUMENTS
    inner = [mended.arguments[key] for key in others]
    return any(isinstance(each, dict) and not known.isdisjoint(each) for each in inner)


def _opens_behind_colon(mended: Mended) -> bool:
    """Whether a colon and a bracket were inserted, as in `{"path"[ "a"}`, damaged from `{"path": "a"}`."""
    return {"colon", "bracket"} <= mended.codes


def _makes_item(mended: Mended) -> bool:
    """Whether text without quotes became an item by an inserted comma: `["a" --- ]`."""
    return {"bare-text", "comma"} <= mended.codes


def _converts_behind_colon(mended: Mended) -> bool:
    """Whether the value behind an inserted colon has another type than the schema wants.

    Damage may turn `{"city": "Oslo", "days": 3}` into `{"city" 3}`.
    """
    return "colon" in mended.codes and any(each.code == "schema-type" for each in mended.found)


def _took_delimiter(mended: Mended) -> bool:
    """Whether a string ends with the delimiter that was inserted behind it: `{"a": "x," "b": 1}`."""
    marks = "".join(_MARKS.get(code, "") for code in mended.codes)
    return any(ends_with_stray(text, marks) for text in mended.strings)


_RULES: Final[tuple[tuple[str, str, Callable[[Mended], bool]], ...]] = (
    (
        "bracket",
        "Found arguments in the arguments of a call that lacks a bracket; it may be another",
        _nests_arguments,
    ),
    ("missing-close-tag", "Found an argument with the name of its mended call", _holds_next_call),
    ("bare-key", "Found markup, a backslash or a line end in a key of a mended call", _has_odd_key),
    (
        "bracket",
        "Found a bracket too many where a delimiter is missing; something may be lost",
        _lost_text,
    ),
    (
        "bracket",
        "Found the closer of a list in place of that of an object; the list's opener may be missing",
        _closes_lost_list,
    ),
    (
        "bracket",
        "Found the opener of a list, and not its closer; it may be one too many",
        _opens_twice,
    ),
    (
        "stray-close-tag",
        "Found a closer in a value, and not its own closer behind it; it may be damaged",
        _holds_damaged_closer,
    ),
    (
        "bare-text",
        "Found text without quotes that holds what may be a part of the arguments",
        _holds_arguments_behind,
    ),
    (
        "bare-text",
        "Found text without quotes that stands for a value, or begins with a tag",
        _stands_for_value,
    ),
    (
        "inner-quote",
        "Found the name of the call in a string with mended quotes; it may be another call",
        _holds_own_name,
    ),
    (
        "inner-quote",
        "Found a string with mended quotes that may hold another argument of the tool",
        _holds_awaited,
    ),
    (
        "missing-quote",
        "Found a typographic quote without its partner in a string of a mended call",
        _lost_typographic_quote,
    ),
    (
        "missing-close-tag",
        "Found an argument that the tool does not have; it may be the next call behind a damaged closer",
        _swallows_next_call,
    ),
    (
        "bare-text",
        "Found text without quotes and a comma missing before it; it may belong to nothing",
        _makes_item,
    ),
    (
        "bracket",
        "Found a bracket without its partner behind a colon that was put in; it may stand for it",
        _opens_behind_colon,
    ),
    (
        "schema-mismatch",
        "Found a value of another type behind a colon that was put in; something may be lost",
        _converts_behind_colon,
    ),
    (
        "slipped-quote",
        "Found a string that ends with the delimiter that is missing behind it",
        _took_delimiter,
    ),
)
"""The code of each doubt, its message, and its rule; the first rule that holds counts."""


def _is_inside(draft: Draft, mended: Diagnostic) -> bool:
    """Whether a repair is in the arguments, not in the markup around them."""
    place = mended.span.start
    if mended.severity != "warning" or mended.code in _TYPED | SPELLINGS:
        return False
    # The brace of a JSON envelope may belong to an object in the arguments.
    is_closer = mended.code in ("missing-close-tag", "stray-close-tag")
    is_markup = is_closer and not puts_in_brace(mended)
    # A bracket that was inserted behind the last character belongs to the arguments; a closer there
    # does not.
    return draft.arguments_start <= place < draft.arguments_end + (not is_markup)
