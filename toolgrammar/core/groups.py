"""Orders the calls of a section: generated ids, the default chain, settled dependencies."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.calls import ToolCall

_NAMESPACE = bytes.fromhex("6ba7b8119dad11d180b400c04fd430c8")


def generated_id(seed: str, index: int, text: str) -> str:
    """Makes a version-5 UUID (RFC 9562) from the seed, the index and the text of a call."""
    name = f"{seed}\0{index}\0{text}".encode("utf-8", "surrogatepass")
    import hashlib  # loads OpenSSL: few messages need it

    digest = bytearray(hashlib.sha1(_NAMESPACE + name, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_taken(wanted: str, builder: Builder) -> bool:
    """Whether a call before has this id."""
    calls, taken = builder.calls, builder.taken_ids
    while builder.taken_upto < len(calls):
        taken.add(calls[builder.taken_upto].id or "")
        builder.taken_upto += 1
    return wanted in taken


class Group:
    """An open section of calls."""

    __slots__ = ("last", "mode")

    def __init__(self, mode: str = "") -> None:
        self.mode = mode
        self.last = ""

    def copy(self) -> Group:
        """Gives a group in the same state."""
        other = Group(self.mode)
        other.last = self.last
        return other

    def join(self, draft: Draft, builder: Builder) -> str | None:
        """Adds a call: it gets an id where it has none, and waits for the one before it."""
        identified = bool(builder.wire_roles)
        if identified and draft.id is not None and is_taken(draft.id, builder):
            builder.report(
                "duplicate-id",
                "warning",
                f"Found id `{draft.id[:40]}` a second time; the later call gets a new one",
                Span(draft.start, draft.start),
            )
            draft.id = None
        made = None
        if draft.id is None and identified:
            text = json.dumps([draft.name, draft.arguments], ensure_ascii=False)
            made = generated_id(builder.id_seed, len(builder.calls), text)
        if self.mode == "sequential" and draft.depends_on is None and self.last:
            draft.depends_on = [self.last]
        self.last = draft.id or made or ""
        return made


def settle(calls: list[ToolCall], report: Callable[..., None]) -> None:
    """Removes dependencies that name no call, and breaks circles.

    In a circle every reference to the call itself or to a later call is removed; references to
    earlier calls stay.
    """
    if not any(call.depends_on for call in calls):
        return
    first: dict[str, int] = {}
    for index, call in enumerate(calls):
        if call.id is not None:
            first.setdefault(call.id, index)
    for index, call in enumerate(calls):
        kept = []
        for wanted in dict.fromkeys(call.depends_on):
            if wanted not in first or first[wanted] == index:
                report(
                    "unknown-dependency" if wanted not in first else "dependency-cycle",
                    "warning",
                    f"Found dependency `{wanted[:40]}`; "
                    + ("no call has this id" if wanted not in first else "it is the call itself"),
                    call.span,
                )
            else:
                kept.append(wanted)
        if tuple(kept) != call.depends_on:
            calls[index] = dataclasses.replace(call, depends_on=tuple(kept))
    circle = _circles([[first[i] for i in call.depends_on] for call in calls])
    for index, call in enumerate(calls):
        kept = [
            i
            for i in call.depends_on
            if not (circle[index] == circle[first[i]] and first[i] >= index)
        ]
        if len(kept) != len(call.depends_on):
            report(
                "dependency-cycle",
                "warning",
                "Found calls that wait for each other; the later reference is removed",
                call.span,
            )
            calls[index] = dataclasses.replace(call, depends_on=tuple(kept))


def _circles(edges: list[list[int]]) -> list[int]:
    """Numbers the strongly connected components (Tarjan 1972, with an explicit stack)."""
    count = len(edges)
    order, low, component = [-1] * count, [0] * count, [-1] * count
    stack: list[int] = []
    clock = 0
    for root in range(count):
        if order[root] >= 0:
            continue
        work: list[list[Any]] = [[root, 0]]
        while work:
            node, place = work[-1]
            if place == 0 and order[node] < 0:
                order[node] = low[node] = clock
                clock += 1
                stack.append(node)
            if place < len(edges[node]):
                work[-1][1] += 1
                target = edges[node][place]
                if order[target] < 0:
                    work.append([target, 0])
                elif component[target] < 0:
                    low[node] = min(low[node], order[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                while component[node] < 0:
                    component[stack.pop()] = node
    return component
