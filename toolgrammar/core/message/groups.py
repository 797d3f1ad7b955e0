"""Orders the calls of a section: generated ids, the default chain, settled dependencies."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.values.calls import ToolCall

_NAMESPACE = bytes.fromhex("6ba7b8119dad11d180b400c04fd430c8")  # NAMESPACE_URL of RFC 9562.


def generated_id(seed: str, index: int, text: str) -> str:
    """Makes a version-5 UUID (RFC 9562) from the seed, the index and the text of a call."""
    # A model may write half a surrogate pair as an escape, `"\ud83d"`: that has no UTF-8.
    name = f"{seed}\0{index}\0{text}".encode("utf-8", "surrogatepass")
    import hashlib  # loads OpenSSL: few messages need it

    digest = bytearray(hashlib.sha1(_NAMESPACE + name, usedforsecurity=False).digest()[:16])
    # The version (5) and the variant, as the RFC places them.
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class Group:
    """An open section of calls."""

    def __init__(self, mode: str = "") -> None:
        self.mode = mode
        self.last = ""
        self.unopened = False
        """Whether its opener was put in, so that text behind a call is the message's."""

    def set_mode(self, mode: str) -> None:
        """Takes the order that the section names itself."""
        self.mode = mode

    def follow(self, call_id: str) -> None:
        """Notes the id of its last call, for which the next one may wait."""
        self.last = call_id

    def open_late(self) -> None:
        """Notes that its opener was put in: until a call follows the section is a guess."""
        self.unopened = True

    def copy(self) -> Group:
        """Returns a group in the same state."""
        other = Group(self.mode)
        other.follow(self.last)
        if self.unopened:
            other.open_late()
        return other


def settle(calls: list[ToolCall], report: Callable[..., None]) -> None:
    """Removes dependencies that name no call, and breaks circles.

    In a circle every reference to the call itself or to a later call is removed; references to
    earlier calls stay.
    """
    # Most messages have no dependencies, and need no search for circles.
    if not any(call.depends_on for call in calls):
        return
    first: dict[str, int] = {}
    for index, call in enumerate(calls):
        if call.id is not None:
            # Of two calls with one id the first is meant.
            first.setdefault(call.id, index)
    for index, call in enumerate(calls):
        kept = []
        for wanted in dict.fromkeys(call.depends_on):
            # Simple cases first, so that the components below hold only edges between two calls.
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
        # Only a call that loses something is made anew: calls are never changed in place.
        if tuple(kept) != call.depends_on:
            calls[index] = dataclasses.replace(call, depends_on=tuple(kept))
    circle = _circles([[first[i] for i in call.depends_on] for call in calls])
    for index, call in enumerate(calls):
        kept = [
            i
            for i in call.depends_on
            # Removing every reference forward leaves an order in which each call comes after its
            # own.
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
                    # The target is on the stack: an edge back into the component that is being
                    # gathered.
                    low[node] = min(low[node], order[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                while component[node] < 0:
                    component[stack.pop()] = node
    return component
