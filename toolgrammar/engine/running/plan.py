"""Plans the calls of a message: which may start, and which are skipped.

The plan neither runs calls nor waits: drivers ask it for ready calls, and report finished ones.

Of the calls A, B that depends on A, and C, the calls A and C are ready at once, and B when A has a
result; if A fails, B is skipped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolgrammar.core.message.groups import settle_dependencies

if TYPE_CHECKING:
    from collections.abc import Hashable

    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.values.calls import ToolCall

OnFailure: TypeAlias = Literal["skip", "continue"]
Skip: TypeAlias = Callable[[int, str], "ToolResult"]
"""Makes the result of a skipped call from its index and the reason."""
Same: TypeAlias = Callable[["ToolCall"], "Hashable | None"]
"""Returns a key that equal calls share, so that one of them runs for all; None for other calls."""


class Plan:
    """The calls of a message, and their dependencies.

    Calls may be added one by one. A call that names an id of no call so far waits until all calls
    are known; any other waits for the calls that have its ids by then.
    """

    def __init__(
        self, *, on_failure: OnFailure, concurrency: int | None, skip: Skip, same: Same
    ) -> None:
        self.calls: list[ToolCall] = []
        """The calls, in the order of the message."""
        self.results: dict[int, ToolResult] = {}
        """The results by the indexes of their calls, in the order in which they finish."""
        self._continues = on_failure == "continue"
        self._concurrency = concurrency
        self._skip = skip
        self._same = same
        self._needs: list[tuple[str, ...]] = []
        self._flying: dict[Hashable, deque[int]] = {}
        """The keys of equal calls of which one is running, with the indexes of the waiting ones."""
        self._keys: dict[int, Hashable] = {}
        """The key of each running call, by its index."""
        self._kept: set[Hashable] = set()
        """The keys of calls that have a result."""
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
        self._broken = False

    # ------------------------------------------------------------ what comes

    def add(self, call: ToolCall) -> None:
        """Accepts the next call of a message that is still being read."""
        index = self._noted(call)
        # An id that only the call itself has so far, or no call, may belong to a later call.
        if all(self._places.get(name, [index]) != [index] for name in call.depends_on):
            self._wait(index)
            self._judge([index])
        else:
            self._open.append(index)

    def complete(self, calls: Iterable[ToolCall] = ()) -> None:
        """Adds the last calls; all ids are known from now on."""
        # Calls made by hand have no format; their dependencies are kept as they are.
        if all(call.format for call in self.calls):
            self._settle()
        self._open += [self._noted(call) for call in calls]
        self._complete = True
        for index in self._open:
            self._wait(index)
        self._circles = circles(self._waits)
        # Calls in a circle do not wait for each other, so that `_judge` reaches and skips them.
        for index, circle in self._circles.items():
            self._waits[index] -= circle
        # A circle may contain calls that are not open: B waits for A, which came first and names B.
        self._judge([*self._open, *self._circles])
        self._open = []

    def break_off(self) -> None:
        """Ends the plan with the calls that are running: no other is started or skipped."""
        self._broken = True
        # Nothing waits any more, so that `_judge` skips no call when one that is running fails.
        self._waits.clear()

    def _settle(self) -> None:
        """Corrects the dependencies of streamed calls, as the parser does at the end of a message.

        The dependencies of a streamed call were read before all ids were known.
        """
        calls = list(self.calls)
        # The parser reports the diagnostics, so they are dropped here.
        settle_dependencies(calls, lambda *_, **__: None)
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
        """Records the unfinished calls for which a call waits."""
        # A call that comes later with the same id is not waited for.
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
        """Returns the indexes of the calls with an id; its own only if no other call has the id."""
        places = self._places.get(name, [])
        # A call that names its own id means another call with that id; if there is none, it is a
        # circle.
        return [place for place in places if place != index or places == [index]]

    # ------------------------------------------------------------ what goes

    @property
    def done(self) -> bool:
        """Whether no call is left to run, and no other call will come."""
        if self._broken:
            return self._running == 0
        return self._complete and len(self.results) == len(self.calls)

    def take(self) -> int | None:
        """Returns the index of the next call to start; None if none may start now."""
        if self._broken:
            return None
        # With `concurrency=None` the two are never equal, so there is no limit.
        while self._ready and self._running != self._concurrency:
            # A heap, so that ready calls start in the order of the message.
            index = heappop(self._ready)
            if self._has_turn(index):
                self._running += 1
                return index
        return None

    def _has_turn(self, index: int) -> bool:
        """Whether a call may start: it has to wait while an equal call is running."""
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
        """Records the result of a call that was started."""
        self._running -= 1
        if index in self._keys:
            self._release(self._keys.pop(index), ok=result.ok)
        self._judge(self._finished(index, result))

    def _release(self, key: Hashable, *, ok: bool) -> None:
        """Releases the calls that waited for an equal one; if that failed, only the next of them."""
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
        """Returns the results since the last call of this method."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def dependencies(self, index: int) -> dict[str, ToolResult]:
        """Returns the results of the calls that a call depends on, by their ids."""
        return {
            name: self.results[place]
            for name, places in self._carriers[index].items()
            # If several calls have the same id, the last one with a result counts.
            for place in places
            if place in self.results
        }

    def _finished(self, index: int, result: ToolResult) -> list[int]:
        """Stores a result; returns the calls that have no more unfinished dependencies."""
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
        """Makes calls ready that wait for no other, or skips them and their dependents."""
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
            # Circles are reported first: their calls can't run, whatever `on_failure` is.
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
    """Returns the nodes of the circle of each node that can reach itself.

    This is Tarjan's algorithm for strongly connected components, without recursion, since a chain
    may be long.
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
        # The iterators on the stack replace recursion: each has the successors still to visit.
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
