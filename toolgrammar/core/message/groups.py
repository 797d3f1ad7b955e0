"""Orders the calls of a section: generates ids, chains calls, and removes impossible dependencies.

Example: of two calls that wait for each other, the dependency of the first one is removed.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.values.calls import ToolCall

_NAMESPACE = bytes.fromhex("6ba7b8119dad11d180b400c04fd430c8")  # NAMESPACE_URL of RFC 9562.


def generated_id(seed: str, index: int, text: str) -> str:
    """Returns a version-5 UUID (RFC 9562) of the seed, the index and the text of a call."""
    # A model may write half a surrogate pair as an escape, `"\ud83d"`, which UTF-8 can't encode.
    name = f"{seed}\0{index}\0{text}".encode("utf-8", "surrogatepass")
    import hashlib  # loads OpenSSL: few messages need it

    digest = bytearray(hashlib.sha1(_NAMESPACE + name, usedforsecurity=False).digest()[:16])
    # The RFC puts the version (5) and the variant into these bits.
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
        """Whether its opener was inserted, so that text after a call is text of the message."""

    def set_mode(self, mode: str) -> None:
        """Sets the mode that the section itself declares."""
        self.mode = mode

    def note_call(self, call_id: str) -> None:
        """Notes the id of its last call, on which the next one may depend."""
        self.last = call_id

    def open_late(self) -> None:
        """Notes that its opener was inserted: the section is a guess until a call follows."""
        self.unopened = True

    def copy(self) -> Group:
        """Returns an independent copy of the group."""
        return copy.copy(self)


def settle_dependencies(calls: list[ToolCall], report: Callable[..., None]) -> None:
    """Removes dependencies on calls that do not exist, and those that form a cycle.

    In a cycle every dependency on the call itself or on a later call is removed; dependencies on
    earlier calls stay.

    Args:
        calls: the calls of the message; a call that changes is replaced in the list.
        report: `Builder.report`, which gets a diagnostic for each removal.
    """
    # Most messages have no dependencies and need no search for cycles.
    if not any(call.depends_on for call in calls):
        return
    first: dict[str, int] = {}
    for index, call in enumerate(calls):
        if call.id is not None:
            # If two calls have the same id, it means the first one.
            first.setdefault(call.id, index)
    # The simple cases come first, so that the circles have only edges between two calls.
    _remove_unknown(calls, first, report)
    _remove_circles(calls, first, report)


def _remove_unknown(
    calls: list[ToolCall], first: dict[str, int], report: Callable[..., None]
) -> None:
    """Removes dependencies on calls that do not exist, and on the call itself.

    Args:
        calls: the calls of the message.
        first: the number of the first call with each id.
        report: `Builder.report`.
    """
    for index, call in enumerate(calls):
        known = []
        for wanted in dict.fromkeys(call.depends_on):
            if wanted not in first or first[wanted] == index:
                code, reason = "dependency-cycle", "it is the call itself"
                if wanted not in first:
                    code, reason = "unknown-dependency", "no call has this id"
                report(code, "warning", f"Found dependency `{wanted[:40]}`; {reason}", call.span)
            else:
                known.append(wanted)
        # Calls are never changed in place: one that loses a dependency is replaced by a new one.
        if tuple(known) != call.depends_on:
            calls[index] = dataclasses.replace(call, depends_on=tuple(known))


def _remove_circles(
    calls: list[ToolCall], first: dict[str, int], report: Callable[..., None]
) -> None:
    """Removes dependencies on later calls that wait for the call; arguments as above."""
    component = _components([[first[i] for i in call.depends_on] for call in calls])
    for index, call in enumerate(calls):
        # Without the references to later calls, each call comes after those that it depends on.
        earlier = [
            i
            for i in call.depends_on
            if first[i] < index or component[first[i]] != component[index]
        ]
        if len(earlier) != len(call.depends_on):
            message = "Found calls that wait for each other; the later reference is removed"
            report("dependency-cycle", "warning", message, call.span)
            calls[index] = dataclasses.replace(call, depends_on=tuple(earlier))


def _components(edges: list[list[int]]) -> list[int]:
    """Returns the number of each node's strongly connected component (Tarjan 1972).

    An explicit stack takes the place of recursion, whose depth would grow with the calls.
    """
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
                    # The target is on the stack, so this is an edge back into the component that is
                    # being collected.
                    low[node] = min(low[node], order[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                while component[node] < 0:
                    component[stack.pop()] = node
    return component
