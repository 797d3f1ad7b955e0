"""Records the places of the parts of calls in the source, for a message whose caller asks for them.

Example: of `<tool_call>{"name": "f", "arguments": {"a": 1}}` it records that `"f"` is a name and
`{"a": 1}` are arguments, both of one draft, and which call the draft becomes when the call ends.
The places of a draft that turns out not to be a call belong to no call and are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.spans import PartKind

_KIND: Final[dict[str, PartKind]] = {
    "name": "name",
    "id": "id",
    "depends_on": "id",
    "key": "key",
    "value": "value",
    "arguments": "arguments",
    "input": "input",
    "body": "input",
    "words": "input",
    "reasoning": "reasoning",
    "text": "text",
    "content": "text",
}
"""The kind of the part that fills a role; other roles are markup."""


_NEAR: Final = 64
"""The number of last places among which the first name of a call is searched."""


class Place(NamedTuple):
    """The place of a part, by offsets in the source."""

    start: int
    end: int
    kind: PartKind
    key: str
    """The key of the argument to which the part belongs, or ""."""
    draft: Draft | None
    """The draft of the open call; None outside of calls."""


@dataclass(slots=True)
class Places:
    """The recorded places of one message."""

    found: list[Place] = field(default_factory=list)
    """The places in the order of reading; text that was read again is recorded again."""
    ended: dict[int, Draft] = field(default_factory=dict)
    """The draft of each call, by number; the next call replaces one that was taken back."""

    def note(self, builder: Builder, role: str, start: int, end: int) -> None:
        """Records the part between two offsets that fills a role."""
        kind, draft = _KIND.get(role), builder.draft
        if kind is None or end <= start:
            return
        # Text and reasoning belong to no call, even if one is open around them.
        if kind in ("reasoning", "text"):
            draft = None
        # Some formats drop the values of arguments that the tool does not have.
        elif draft is None or (kind == "value" and draft.dropped):
            return
        elif kind == "name" and any(
            each.kind == kind and each.draft is draft for each in self.found[-_NEAR:]
        ):
            return  # if a name comes twice, the first one counts
        key = ""
        if kind in ("value", "key") and draft is not None:
            # A key to which the header gives a role, such as `id`, is not an argument.
            kind = "id" if draft.wire_role and kind == "value" else kind
            key = "" if draft.wire_role else draft.key
        self.found.append(Place(start, end, kind, key, draft))

    def found_from(self, origin: int) -> Iterator[Place]:
        """Yields the places that end behind an offset, counted from there on."""
        for each in self.found:
            if each.end > origin:
                start, end = max(0, each.start - origin), each.end - origin
                yield each._replace(start=start, end=end)

    def note_token(
        self, builder: Builder, role: str, match: re.Match[str], group: str | int, base: int
    ) -> None:
        """Records a token that fills a role, or a named group in it.

        Args:
            builder: the message, in which the role is filled already.
            role: the role.
            match: the match of the token in the buffer.
            group: the group of the match that fills the role.
            base: the offset of the buffer's first character.
        """
        start, end = match.span(group)
        self.note(builder, role, base + start, base + end)


def places_in(builder: Builder) -> Places | None:
    """Returns the recorded places of a message; None if they are not recorded."""
    found: Places | None = builder.kept.get(Places)
    return found


def note_places(builder: Builder) -> Places:
    """Starts recording the places of a message; returns the record."""
    found: Places = builder.kept.setdefault(Places, Places())
    return found
