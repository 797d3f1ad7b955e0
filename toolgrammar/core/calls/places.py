"""Notes where the parts of calls stand in the source, for one message of which somebody asks it.

Of `<tool_call>{"name": "f", "arguments": {"a": 1}}` it notes that `"f"` is a name and `{"a": 1}` are
arguments, both of one draft; once the call has ended, which call the draft has become. What was noted
of a draft that turned out to be no call belongs to no call, and counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import re

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
"""What a part is whose text fills a role; other roles are markup."""


_NEAR: Final = 64
"""Places among which the first name of a call is looked for."""


class Place(NamedTuple):
    """Where a part stands."""

    start: int
    end: int
    kind: PartKind
    key: str
    """The argument that a value is of; "" where it is of none."""
    draft: Draft | None
    """The call that was open; None outside of calls."""


@dataclass(slots=True)
class Places:
    """The places of one message."""

    found: list[Place] = field(default_factory=list)
    """In the order in which they were read; a stretch that was read again is there again."""
    ended: dict[int, Draft] = field(default_factory=dict)
    """The draft of each call, by number; of a call that was taken back the next one takes over."""

    def note(self, builder: Builder, role: str, start: int, end: int) -> None:
        """Notes what fills a role."""
        kind, draft = _KIND.get(role), builder.draft
        if kind is None or end <= max(0, start):
            return
        # Text and reasoning are of no call, even where one is open around them.
        if kind in ("reasoning", "text"):
            draft = None
        # A value is dropped where the format says so of arguments that the tool does not have.
        elif draft is None or (kind == "value" and draft.dropped):
            return
        elif kind == "name" and any(
            each.kind == kind and each.draft is draft for each in self.found[-_NEAR:]
        ):
            return  # a name that comes twice: the first one stays
        key = ""
        if kind in ("value", "key") and draft is not None:
            # A key that the header gives a role, such as `id`, is no argument.
            kind = "id" if draft.wire_role and kind == "value" else kind
            key = "" if draft.wire_role else draft.key
        self.found.append(Place(max(0, start), end, kind, key, draft))

    def note_token(
        self, builder: Builder, role: str, match: re.Match[str], group: str | int, base: int
    ) -> None:
        """Notes what a token fills, or a named group in it.

        Args:
            builder: the message, in which the role is filled already.
            role: what it fills.
            match: the token, found in the buffer.
            group: the group that it is.
            base: the offset of the buffer.
        """
        start, end = match.span(group)
        self.note(builder, role, base + start, base + end)


def places_in(builder: Builder) -> Places | None:
    """Returns what notes the places of a message; None where nobody asks for them."""
    found: Places | None = builder.kept.get(Places)
    return found


def note_places(builder: Builder) -> Places:
    """Has the places of a message noted, and returns where."""
    found: Places = builder.kept.setdefault(Places, Places())
    return found
