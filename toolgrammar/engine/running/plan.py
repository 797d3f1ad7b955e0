"""Which calls of a message may start, and which never will.

The plan neither runs nor waits: drivers ask it what is ready, and tell it what has finished.

Of the calls A, B that depends on A, and C, the plan has A and C ready at once, and B when A has
its result; where A fails, B is skipped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolgrammar.core.message.groups import settle

if TYPE_CHECKING:
    from collections.abc import Hashable

    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.values.calls import ToolCall

OnFailure: TypeAlias = Literal["skip", "continue"]
Skip: TypeAlias = Callable[[int, str], "ToolResult"]
"""Makes the result of a call that does not run, of its place and the reason."""
Same: TypeAlias = Callable[["ToolCall"], "Hashable | None"]
"""Returns what equal calls have in common, of which one runs for all; None for any other call."""


class Plan:
    """The calls of a message, and how they wait for each other.

    Calls may come one by one. One that names an id nobody has carried yet waits until all are
    known; every other one waits for the calls that carry its ids by then.
    """

    def __init__(
        self, *, on_failure: OnFailure, concurrency: int | None, skip: Skip, same: Same
    ) -> None:
        self.calls: list[ToolCall] = []
        """In the order of the message."""
        self.results: dict[int, ToolResult] = {}
        """By the places of the calls, as they finish."""
        self._continues = on_failure == "continue"
        self._concurrency = concurrency
        self._skip = skip
        self._same = same
        self._needs: list[tuple[str, ...]] = []
        self._flying: dict[Hashable, deque[int]] = {}
        """What equal calls have in common, while one runs, and the places of the others."""
        self._keys: dict[int, Hashable] = {}
        """What it is, by the place of the one that runs."""
        self._kept: set[Hashable] = set()
        """What it was, where one has a result."""
        self._places: dict[str, list[int]] = {}
        self._carriers: dict[int, dict[str, list[int]]] = {}
        self._waits: dict[int, set[int]] = {}
        self._followers: dict[int, list[int]] = {}
        self._circles: dict[int, frozenset[int]] = {}
        self._open: list[int] = []
        self._ready: list[int] = []
        self._fresh: list[ToolResult] = []
        self._running = 0
        self._complete = False

    # ------------------------------------------------------------ what comes

    def add(self, call: ToolCall) -> None:
        """Takes the next call of a message that is still being read."""
        index = self._noted(call)
        # `[index]` alone under an id: only the call itself carries it so far, and another may come
        # that does. An id that nobody has carried gives the default, and so counts as open, too.
        if all(self._places.get(name, [index]) != [index] for name in call.depends_on):
            self._wait(index)
            self._judge([index])
        else:
            self._open.append(index)

    def complete(self, calls: Iterable[ToolCall] = ()) -> None:
        """Takes the rest of the calls; no other will come, so all ids are known."""
        # Calls made by hand have no format. What they depend on is what their maker said, and
        # stays.
        if all(call.format for call in self.calls):
            self._settle()
        self._open += [self._noted(call) for call in calls]
        self._complete = True
        for index in self._open:
            self._wait(index)
        self._circles = circles(self._waits)
        # Inside a circle nobody waits, so that `_judge` comes to its calls, and `_reason` skips
        # them.
        for index, circle in self._circles.items():
            self._waits[index] -= circle
        # A circle may hold calls that are not open: B waits for A, which came before it and names
        # B.
        self._judge([*self._open, *self._circles])
        self._open = []

    def _settle(self) -> None:
        """Does to calls of a stream what the end of the message does to those of its result.

        What they depend on was told before all ids were known.
        """
        calls = list(self.calls)
        # The diagnostics of it are the parser's to give.
        settle(calls, lambda *_, **__: None)
        for index in self._open:
            self._needs[index] = calls[index].depends_on

    def _noted(self, call: ToolCall) -> int:
        index = len(self.calls)
        self.calls.append(call)
        self._needs.append(call.depends_on)
        if call.id is not None:
            self._places.setdefault(call.id, []).append(index)
        return index

    def _wait(self, index: int) -> None:
        """Notes for which calls without a result a call waits."""
        # As of now: a call that comes later under the same id is not waited for.
        carriers = self._carriers[index] = {
            name: self._carrying(name, index) for name in self._needs[index]
        }
        waits = self._waits[index] = {
            place for places in carriers.values() for place in places if place not in self.results
        }
        # A call with a result is not waited for, but stays a carrier: `_reason` reads its error.
        for place in waits:
            self._followers.setdefault(place, []).append(index)

    def _carrying(self, name: str, index: int) -> list[int]:
        """Returns the places of the calls with an id; its own only if it alone carries the id."""
        places = self._places.get(name, [])
        # A call that names its own id means another of that id, if there is one; else it is a
        # circle.
        return [place for place in places if place != index or places == [index]]

    # ------------------------------------------------------------ what goes

    @property
    def done(self) -> bool:
        """Whether every call has a result and no other call will come."""
        return self._complete and len(self.results) == len(self.calls)

    def take(self) -> int | None:
        """Returns the place of the next call to start, or None while there is none."""
        # With `concurrency=None` the comparison is never equal, so nothing is held back.
        while self._ready and self._running != self._concurrency:
            # A heap, so that of all ready calls the first of the message starts first.
            index = heappop(self._ready)
            if self._has_turn(index):
                self._running += 1
                return index
        return None

    def _has_turn(self, index: int) -> bool:
        """Tells whether a call may start; one that is equal to a running call waits for it."""
        key = self._same(self.calls[index])
        # In `_keys` already: it was chosen in `_release` to run after an equal call failed.
        if key is None or key in self._kept or index in self._keys:
            return True
        if key in self._flying:
            self._flying[key].append(index)
            return False
        self._flying[key] = deque()
        self._keys[index] = key
        return True

    def finish(self, index: int, result: ToolResult) -> None:
        """Takes the result of a call that was started."""
        self._running -= 1
        if index in self._keys:
            self._release(self._keys.pop(index), ok=result.ok)
        self._judge(self._finished(index, result))

    def _release(self, key: Hashable, *, ok: bool) -> None:
        """Lets calls start that waited for an equal one; where that failed, the next of them."""
        waiting = self._flying[key]
        if ok:
            self._kept.add(key)  # they find the result in the cache
        # A failure is not kept, so the next equal call runs itself instead of finding it.
        if not ok and waiting:
            self._keys[waiting[0]] = key
            heappush(self._ready, waiting.popleft())
            return
        del self._flying[key]
        for each in waiting:
            heappush(self._ready, each)

    def fresh(self) -> list[ToolResult]:
        """Returns the results that came since this was last asked."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def dependencies(self, index: int) -> dict[str, ToolResult]:
        """Returns the results of the calls that a call depends on, by their ids."""
        return {
            name: self.results[place]
            for name, places in self._carriers[index].items()
            # Of several calls with the same id the last one that has a result counts.
            for place in places
            if place in self.results
        }

    def _finished(self, index: int, result: ToolResult) -> list[int]:
        """Keeps a result; returns the calls that wait for nothing more."""
        self.results[index] = result
        self._fresh.append(result)
        released = []
        for follower in self._followers.pop(index, ()):
            waits = self._waits.get(follower)
            if waits is not None and index in waits:
                waits.discard(index)
                released.append(follower)
        return released

    def _judge(self, indexes: list[int]) -> None:
        """Makes calls ready that wait for nothing, or skips them and what follows from that."""
        pending = list(indexes)
        while pending:
            index = pending.pop()
            # None: it was judged before.
            if self._waits.get(index) != set():
                continue
            del self._waits[index]
            reason = self._reason(index)
            if reason is None:
                heappush(self._ready, index)
            else:
                pending += self._finished(index, self._skip(index, reason))

    def _reason(self, index: int) -> str | None:
        """Returns why a call is skipped: the first reason in the order of its dependencies."""
        circle = self._circles.get(index, frozenset())
        for name, carriers in self._carriers[index].items():
            # A circle is told before `on_failure`: its calls can't get their dependencies in any
            # case.
            if not circle.isdisjoint(carriers):
                return "dependency cycle"
            if self._continues:
                continue
            if not carriers:
                return f"unknown dependency {name}"
            for place in carriers:
                error = self.results[place].error
                if error is not None:
                    return f"dependency {name} failed ({error.code})"
        return None


def circles(graph: dict[int, set[int]]) -> dict[int, frozenset[int]]:
    """Returns for each node that can reach itself all the nodes of its circle.

    Tarjan's strongly connected components, without recursion: a chain may be long.
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: dict[int, frozenset[int]] = {}
    for root, reached in graph.items():
        if root in order:
            continue
        order[root] = lowest[root] = len(order)
        path.append(root)
        on_path.add(root)
        # The iterators on the stack take the place of recursion: each remembers where its node
        # stood.
        stack = [(root, iter(sorted(reached)))]
        while stack:
            node, following = stack[-1]
            # The loop ends without `break` where the node has no successor left that is new.
            for each in following:
                if each not in order:
                    order[each] = lowest[each] = len(order)
                    path.append(each)
                    on_path.add(each)
                    stack.append((each, iter(sorted(graph.get(each, ())))))
                    break
                if each in on_path:
                    lowest[node] = min(lowest[node], order[each])
            else:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    start = path.index(node)
                    circle = frozenset(path[start:])
                    del path[start:]
                    on_path -= circle
                    # A single node is a circle only if it names itself.
                    if len(circle) > 1 or node in graph.get(node, ()):
                        found.update(dict.fromkeys(circle, circle))
    return found
