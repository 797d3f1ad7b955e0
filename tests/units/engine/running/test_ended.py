"""Calls that start while their message is still being read."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.engine.driving import Driver, both
from toolgrammar import CallEnd, CallStart, Event, Parser, TextDelta, ToolCall, parse, stream
from toolgrammar.engine import Engine, MemorySink, Tool, ToolContext, ToolResult, to_messages
from toolgrammar.interop import openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

LONG = 30.0


def note(name: str) -> str:
    """Says its name."""
    return name


def ends(*calls: ToolCall) -> list[Event]:
    """The events of a message with these calls."""
    events: list[Event] = [TextDelta("Well. ")]
    for index, each in enumerate(calls):
        events += [CallStart(index, each.name, each.id), CallEnd(index, each)]
    return events


def step(name: str, *needs: str) -> ToolCall:
    """A call with an id that depends on others."""
    return ToolCall("note", {"name": name}, id=name, depends_on=needs)


def told(results: list[ToolResult]) -> dict[str | None, str]:
    """What became of each call, by its id."""
    return {each.call.id: each.value if each.ok else str(each.error) for each in results}


@both
def test_every_call_runs_once(driver: Driver) -> None:
    calls = [step("a"), step("b", "a"), step("c", "d"), step("d"), step("e", "x"), step("f", "e")]
    results = driver.stream(Engine([note]), ends(*calls))
    assert len(results) == 6
    assert told(results) == {
        "a": "a",
        "b": "b",
        "c": "c",
        "d": "d",
        "e": "skipped:unknown dependency x",
        "f": "skipped:dependency e failed (skipped)",
    }
    assert driver.stream(Engine([note]), []) == []


@both
def test_circles_are_found_at_the_end(driver: Driver) -> None:
    calls = [step("a", "b"), step("b", "a"), step("c", "c"), step("d", "a"), step("e")]
    results = told(driver.stream(Engine([note]), ends(*calls)))
    assert results == {
        "a": "skipped:dependency cycle",
        "b": "skipped:dependency cycle",
        "c": "skipped:dependency cycle",
        "d": "skipped:dependency a failed (skipped)",
        "e": "e",
    }


@both
def test_id_that_comes_again_holds_up_nobody_who_knew_it_before(driver: Driver) -> None:
    """The second call of the id has no result yet when the first one's follower is looked at."""
    again, followed = threading.Event(), threading.Event()

    def first() -> str:
        return "first" if again.wait(LONG) else "the message did not go on"

    def follower(context: ToolContext) -> list[str]:
        followed.set()
        return [result.value for result in context.results.values()]

    def second() -> str:
        again.set()
        return "second" if followed.wait(LONG) else "held up its sibling"

    calls = [
        ToolCall("first", id="a"),
        ToolCall("follower", id="b", depends_on=("a",)),
        ToolCall("second", id="a"),
    ]
    results = driver.stream(Engine([first, follower, second]), ends(*calls))
    assert [each.value for each in results] == ["first", ["first"], "second"]


class Message:
    """A message whose second half comes only after the first call has gone through."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.yielded = threading.Event()
        self.order: list[str] = []

    def note(self, name: str) -> str:
        self.order.append(name)
        if name == "b":
            self.started.set()
        return name

    def events(self) -> Iterator[Event]:
        yield from ends(step("a"), step("b", "a"), step("c", "later"))
        # `b` waits for `a`, and both run while nothing more comes.
        assert self.started.wait(LONG)
        # Results come out while nothing more comes.
        assert self.yielded.wait(LONG)
        self.order.append("the rest")
        yield CallEnd(3, step("later"))

    async def events_later(self) -> AsyncIterator[Event]:
        for event in ends(step("a"), step("b", "a"), step("c", "later")):
            yield event
        while not (self.started.is_set() and self.yielded.is_set()):
            await asyncio.sleep(0.001)
        self.order.append("the rest")
        yield CallEnd(3, step("later"))


def test_calls_start_and_results_come_while_the_message_streams() -> None:
    message = Message()
    got = []
    for result in Engine([message.note]).stream_sync(message.events()):
        got.append(result.value)
        if len(got) == 2:
            message.yielded.set()
    assert got == ["a", "b", "later", "c"]
    assert message.order == ["a", "b", "the rest", "later", "c"]


def test_calls_start_and_results_come_while_the_message_streams_async() -> None:
    async def main() -> None:
        message = Message()
        got = []
        async for result in Engine([message.note]).stream_async(message.events_later()):
            got.append(result.value)
            if len(got) == 2:
                message.yielded.set()
        assert got == ["a", "b", "later", "c"]
        assert message.order == ["a", "b", "the rest", "later", "c"]

    asyncio.run(main())


@both
def test_error_of_the_stream_goes_through(driver: Driver) -> None:
    def events() -> Iterator[Event]:
        yield from ends(step("a"))
        raise ConnectionError("the model is gone")

    with pytest.raises(ConnectionError, match="the model is gone"):
        driver.stream(Engine([note]), events())


class Lost:
    """A message that breaks off while its calls run, and a tool that ends after that."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.lost = threading.Event()
        self.contexts: list[ToolContext] = []

    def pay(self, amount: int, context: ToolContext) -> int:
        self.contexts.append(context)
        assert self.lost.wait(LONG)
        # The driver has the error of the stream long before.
        threading.Event().wait(0.05)
        return amount

    async def pay_later(self, amount: int, context: ToolContext) -> int:
        self.contexts.append(context)
        while not self.lost.is_set():
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        return amount

    def events(self, tool: str) -> Iterator[Event]:
        yield from ends(*(ToolCall(tool, {"amount": each}) for each in (1, 2)))
        self.lost.set()
        raise self.error

    async def events_later(self, tool: str) -> AsyncIterator[Event]:
        for event in ends(*(ToolCall(tool, {"amount": each}) for each in (1, 2))):
            yield event
        while len(self.contexts) < 2:
            await asyncio.sleep(0.001)
        self.lost.set()
        raise self.error

    def collected(self, driver: Driver, tool: str, engine: Engine) -> list[int]:
        """What comes before the exception, which has to be that of the stream."""
        got: list[int] = []

        async def collect() -> None:
            async for result in engine.stream_async(self.events_later(tool)):
                got.append(result.value)  # noqa: PERF401 - kept though the next one raises

        def main() -> None:
            if driver.name == "async":
                asyncio.run(collect())
                return
            for result in engine.stream_sync(self.events(tool)):
                got.append(result.value)  # noqa: PERF401 - kept though the next one raises

        with pytest.raises(type(self.error)) as caught:
            main()
        assert caught.value is self.error
        return got


@both
@pytest.mark.parametrize("tool", ["pay", "pay_later"])
def test_results_of_calls_that_began_come_before_the_error_of_the_stream(
    driver: Driver, tool: str
) -> None:
    message = Lost(ConnectionError("the model is gone"))
    sink = MemorySink()
    engine = Engine([message.pay, message.pay_later], trace=sink)
    assert sorted(message.collected(driver, tool, engine)) == [1, 2]
    assert [event.payload["ok"] for event in sink.events if event.name == "call.end"] == [True] * 2
    assert sink.events[-1].name == "plan.end"
    assert sink.events[-1].payload["ok"] is False


class LeaveError(BaseException):
    """Like an interrupt from the keyboard."""


@both
def test_interrupt_in_the_stream_waits_for_no_call(driver: Driver) -> None:
    message = Lost(LeaveError())
    assert message.collected(driver, "pay_later", Engine([message.pay_later])) == []


def test_interrupt_of_a_call_goes_through_after_the_stream_has_failed() -> None:
    message = Lost(ConnectionError())

    def leave(amount: int) -> None:
        assert message.lost.wait(LONG)
        threading.Event().wait(0.05)
        raise LeaveError

    with pytest.raises(LeaveError):
        list(Engine([leave]).stream_sync(message.events("leave")))


@both
def test_error_of_the_finish_reason_begins_no_call_that_waits_for_it(driver: Driver) -> None:
    ran: list[str] = []

    def reason() -> str:
        raise ConnectionError("the model is gone")

    engine = Engine([Tool(ran.append, name="note", schema={"type": "object"})])
    with pytest.raises(ConnectionError):
        run(driver, engine, ends(step("a")), reason)
    assert ran == []


@both
def test_what_is_no_event_is_a_mistake(driver: Driver) -> None:
    with pytest.raises(TypeError):
        driver.stream(Engine([note]), [step("a")])
    with pytest.raises(TypeError):
        driver.stream(Engine([note]), 3)  # type: ignore[arg-type]


class Slow:
    """A tool that waits, and says when nobody waits for it."""

    def __init__(self) -> None:
        self.contexts: list[ToolContext] = []
        self.free = threading.Event()

    def slow(self, context: ToolContext) -> None:
        self.contexts.append(context)
        self.free.wait(LONG)

    async def slow_later(self, context: ToolContext) -> None:
        self.contexts.append(context)
        await asyncio.sleep(LONG)


def _until(slow: Slow) -> None:
    while not slow.contexts:
        threading.Event().wait(0.001)


def test_stream_that_nobody_reads_on_is_broken_off() -> None:
    slow = Slow()
    sink = MemorySink()
    engine = Engine([note, slow.slow], trace=sink)
    results = engine.stream_sync(ends(ToolCall("slow"), step("a")))
    assert next(iter(results)).value == "a"
    _until(slow)
    results.close()  # type: ignore[attr-defined]
    assert slow.contexts[0].cancelled.is_set()
    assert sink.events[-1].name == "plan.end"
    slow.free.set()


def test_async_stream_that_nobody_reads_on_leaves_nothing_running() -> None:
    slow = Slow()

    async def main() -> None:
        engine = Engine([note, slow.slow_later])
        results: Any = engine.stream_async(ends(ToolCall("slow_later"), step("a")))
        assert (await anext(results)).value == "a"
        await results.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert slow.contexts[0].cancelled.is_set()

    asyncio.run(main())


@both
def test_limit_of_calls_at_once_holds_in_streams(driver: Driver) -> None:
    lock = threading.Lock()
    running, most = [0], [0]

    def tool() -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.002)
        with lock:
            running[0] -= 1

    engine = Engine([tool], concurrency=2)
    assert len(driver.stream(engine, ends(*[ToolCall("tool")] * 9))) == 9
    assert most[0] <= 2


@both
def test_events_of_a_parser(driver: Driver) -> None:
    import toolgrammar

    text = 'Now <tool_call>\n{"name": "note", "arguments": {"name": "x"}}\n</tool_call> then.'
    events = toolgrammar.stream(text, format="hermes", tools=[note])
    assert [each.value for each in driver.stream(Engine([note]), events)] == ["x"]


# ------------------------------------------------------------------------------- as its result


MULTI = """<multi_tool_use>
<note><toolId>a</toolId><name>a</name></note>
<note><toolId>b</toolId><dependsOn>ghost</dependsOn><name>b</name></note>
<note><toolId>c</toolId><dependsOn>c</dependsOn><name>c</name></note>
<note><toolId>d</toolId><dependsOn>e</dependsOn><name>d</name></note>
<note><toolId>e</toolId><dependsOn>d</dependsOn><name>e</name></note>
</multi_tool_use>"""


@both
def test_stream_runs_what_the_result_would(driver: Driver) -> None:
    """Ids that nobody has, and circles, are known at the end of the message only."""
    engine = Engine([note])
    whole = parse(MULTI, "roo_multi", tools=engine.tools.values())
    wanted = told(driver.run_all(engine, whole))
    assert wanted == {name: name for name in "abcde"}
    parser = Parser("roo_multi", tools=engine.tools.values())
    events = [event for character in MULTI for event in parser.feed(character)]
    events += parser.close()
    assert told(driver.stream(engine, events)) == wanted


@both
def test_results_know_the_place_of_their_call(driver: Driver) -> None:
    """The slow one comes last, and answers its own call all the same."""
    fast_is_done = threading.Event()

    def slow() -> str:
        assert fast_is_done.wait(LONG)
        return "slow"

    def fast() -> str:
        fast_is_done.set()
        return "fast"

    text = "".join(
        f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>\n'
        for name in ("slow", "fast")
    )
    events = stream([text], "hermes")
    engine = Engine([slow, fast])
    results = sorted(driver.stream(engine, list(events)), key=lambda each: each.value)
    assert [(each.value, each.index) for each in results] == [("fast", 1), ("slow", 0)]
    tool_calls = openai.to_message(events.result)["tool_calls"]
    for prefix in (None, "turn7_"):
        tool_calls = openai.to_message(events.result, id_prefix=prefix)["tool_calls"]
        answers = to_messages(results, id_prefix=prefix)
        assert [(each["tool_call_id"], each["content"]) for each in answers] == [
            (tool_calls[0]["id"], "slow"),
            (tool_calls[1]["id"], "fast"),
        ]
    assert driver.run(engine, ToolCall("fast")).index is None
    assert ToolResult.from_dict(results[0].to_dict()) == results[0]


# ------------------------------------------------------------------------------- cut by the server


@both
@pytest.mark.parametrize("reason", ["length", lambda: "length"])
def test_call_that_the_server_cut_does_not_run(driver: Driver, reason: Any) -> None:
    def rm(path: str) -> str:
        return path

    text = "Action: rm\nAction Input: /tmp/a\nAction: rm\nAction Input: /home/ada/tm"
    wanted = ["/tmp/a", "refused:truncated"]
    engine = Engine([rm])
    results = run(driver, engine, stream(list(text), "react", tools=engine.tools.values()), reason)
    assert [str(each.error or each.value) for each in results] == wanted
    # Events of somebody else: what ends the message may be cut.
    parser = Parser("react", tools=engine.tools.values())
    events = [*parser.feed(text), *parser.close()]
    results = run(driver, engine, events, reason)
    assert [str(each.error or each.value) for each in results] == wanted
    for over in ("stop", lambda: None):
        assert all(each.ok for each in run(driver, engine, events, over))
    assert all(each.ok for each in run(driver, engine, [*events, TextDelta(" ")], reason))


def run(driver: Driver, engine: Engine, events: Any, reason: Any) -> list[ToolResult]:
    """Runs a stream that is told why it ends."""
    if driver.name == "sync":
        results = list(engine.stream_sync(events, finish_reason=reason))
    else:

        async def collected() -> list[ToolResult]:
            streamed = engine.stream_async(events, finish_reason=reason)
            return [result async for result in streamed]

        results = asyncio.run(collected())
    return sorted(results, key=lambda each: each.call.span.start)


def test_finish_reason_is_looked_at_at_once() -> None:
    for wrong in (3, b"length"):
        for streamed in (Engine([note]).stream_sync, Engine([note]).stream_async):
            with pytest.raises(TypeError, match="finish_reason must be"):
                streamed([], finish_reason=wrong)  # type: ignore[arg-type]
