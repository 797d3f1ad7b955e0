"""Statements X1 to X46: what the older engine's interface does, from sync and from async code."""
# ruff: noqa: N802 - a test bears the number of its statement

import asyncio
import inspect
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrammar.engine import GuardrailError, MemorySink, RetryableError, UserError
from toolgrammar.interop.agent_tools import Engine, Tool, ToolResult

CTX = object()
Runner = Callable[[Engine, str, str], ToolResult]

INVOKED = ["tool.invoke.start", "tool.invoke.ok"]
RESOLVED = ["tool.resolve.start", "tool.resolve.ok"]
PARSED = [*RESOLVED, "args.parse.start", "args.parse.ok"]
LET_IN = ["guard.input.start", "guard.input.ok"]
LET_OUT = ["guard.output.start", "guard.output.ok"]


def run_sync(engine: Engine, name: str, raw: str) -> ToolResult:
    return engine.run_sync(ctx=CTX, name=name, raw=raw)


def run_async(engine: Engine, name: str, raw: str) -> ToolResult:
    return asyncio.run(engine.run_async(ctx=CTX, name=name, raw=raw))


@pytest.fixture(params=[run_sync, run_async])
def run(request: pytest.FixtureRequest) -> Runner:
    runner: Runner = request.param
    return runner


class Recorded:
    """A tool that notes its calls and gives a fixed output, or raises one error after another."""

    def __init__(self, output: Any = "done", errors: list[Exception] | None = None) -> None:
        self.calls: list[dict[str, Any]] = []
        self.output = output
        self.errors = errors or []

    def __call__(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        if len(self.calls) <= len(self.errors):
            raise self.errors[len(self.calls) - 1]
        return self.output


def failed(message: str, attempts: int = 0, name: str = "t") -> ToolResult:
    return ToolResult(name, ok=False, error_message=message, attempts=attempts)


def done(output: Any, attempts: int = 1) -> ToolResult:
    return ToolResult("t", ok=True, output=output, attempts=attempts)


def names(sink: MemorySink) -> list[str]:
    return [event.name for event in sink.events]


def payload(sink: MemorySink, name: str) -> dict[str, Any]:
    (found,) = [event.payload for event in sink.events if event.name == name]
    return dict(found)


def shown(value: object) -> str:
    """Names a parameter of a test so that `1` and `"1"` differ."""
    return repr(value)[:40]


def check_argument(run: Runner, kind: object, written: Any, expected: Any) -> None:
    """Holds what becomes of the argument `x`; an expected string with `bad_` is the error."""
    tool = Recorded()
    result = run(Engine([Tool("t", tool, {"x": kind})]), "t", json.dumps({"x": written}))
    if isinstance(expected, str) and expected.startswith("bad_"):
        assert result == failed(f"bad_args:{expected}")
        assert tool.calls == []
    else:
        assert result == done("done")
        assert tool.calls == [{"x": expected}]
        assert type(tool.calls[0]["x"]) is type(expected)


def test_X1_an_unknown_name(run: Runner) -> None:
    sink = MemorySink()
    engine = Engine([Tool("t", Recorded())], cache=True, trace=sink)
    assert run(engine, "nope", "{}") == failed("unknown_tool", name="nope")
    assert names(sink) == ["tool.resolve.start", "tool.resolve.fail"]


@pytest.mark.parametrize("raw", ["", "  ", "\n\t"])
def test_X2_blank_raw_arguments_are_none(run: Runner, raw: str) -> None:
    tool = Recorded()
    assert run(Engine([Tool("t", tool)]), "t", raw) == done("done")
    assert tool.calls == [{}]


@pytest.mark.parametrize("raw", ["{x", '{"a": 1', "nope", "{} {}", "[" * 100_000, '{"a": NaN}'])
def test_X3_bad_json(run: Runner, raw: str) -> None:
    tool = Recorded()
    result = run(Engine([Tool("t", tool)]), "t", raw)
    assert (result.ok, result.attempts, tool.calls) == (False, 0, [])
    assert result.error_message is not None
    assert result.error_message.startswith("bad_args:")
    assert len(result.error_message) > len("bad_args:")


@pytest.mark.parametrize("raw", ["[1]", "5", '"x"', "null", "true"])
def test_X4_json_that_is_no_object(run: Runner, raw: str) -> None:
    assert run(Engine([Tool("t", Recorded())]), "t", raw) == failed("bad_args:args_not_object")


def test_X5_defaults_fill_absent_keys_and_are_coerced(run: Runner) -> None:
    tool = Recorded()
    engine = Engine([Tool("t", tool, {"n": int}, {"n": "2", "more": ["y"]})])
    run(engine, "t", "{}")
    tool.calls[0]["more"].append("changed")
    run(engine, "t", '{"n": 5}')
    assert tool.calls[0]["n"] == 2
    assert tool.calls[1] == {"n": 5, "more": ["y"]}
    broken = Engine([Tool("t", tool, {"n": int}, {"n": "two"})])
    assert run(broken, "t", "{}") == failed("bad_args:bad_int:n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (5, 5), (-3, -3), ("7", 7), (" -5 ", -5), ("007", 7), ("1.5", "bad_int:x"),
        (1.0, "bad_int:x"), ("", "bad_int:x"), ("-", "bad_int:x"), ("+5", "bad_int:x"),
        ("1_000", "bad_int:x"), ("0x1", "bad_int:x"), (None, "bad_int:x"), ([5], "bad_int:x"),
        ("five", "bad_int:x"), ("- 5", "bad_int:x"),
    ],
    ids=shown,
)  # fmt: skip
def test_X6_int(run: Runner, written: Any, expected: Any) -> None:
    check_argument(run, int, written, expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (True, True), (False, False), ("true", True), (" TRUE ", True), ("False", False),
        (1, "bad_bool:x"), (0, "bad_bool:x"), ("yes", "bad_bool:x"), ("1", "bad_bool:x"),
        ("", "bad_bool:x"), (None, "bad_bool:x"),
    ],
    ids=shown,
)  # fmt: skip
def test_X7_bool(run: Runner, written: Any, expected: Any) -> None:
    check_argument(run, bool, written, expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("x", "x"), ("", ""), (" 5 ", " 5 "), (5, "bad_str:x"), (True, "bad_str:x"),
        (None, "bad_str:x"), (["x"], "bad_str:x"),
    ],
    ids=shown,
)  # fmt: skip
def test_X8_str(run: Runner, written: Any, expected: Any) -> None:
    check_argument(run, str, written, expected)


@pytest.mark.parametrize("kind", [float, list, "number", None])
def test_X9_a_type_that_is_none_of_the_three(run: Runner, kind: object) -> None:
    check_argument(run, kind, "x", "bad_type:x")
    absent = Engine([Tool("t", Recorded(), {"x": kind})])
    assert run(absent, "t", "{}") == done("done")


def test_X10_an_absent_key_is_found_by_the_call_itself(run: Runner) -> None:
    def tool(x: int) -> int:
        return x

    result = run(Engine([Tool("t", tool, {"x": int})]), "t", "{}")
    assert (result.ok, result.attempts) == (False, 1)
    assert result.error_message is not None
    assert result.error_message.startswith("tool_error:")
    assert "'x'" in result.error_message


def test_X11_other_keys_are_passed_unchanged(run: Runner) -> None:
    tool = Recorded()
    engine = Engine([Tool("t", tool, {"x": int})])
    run(engine, "t", '{"x": "2", "extra": 7, "more": {"y": ["2", null]}}')
    assert tool.calls == [{"x": 2, "extra": 7, "more": {"y": ["2", None]}}]


def test_X12_true_is_an_int(run: Runner) -> None:
    check_argument(run, int, written=True, expected=True)


def test_X13_the_cache_key_is_exact(run: Runner) -> None:
    tool = Recorded()
    engine = Engine([Tool("t", tool), Tool("u", tool)], cache=True)
    raws = ['{"x":1}', '{ "x":1 }', '{"x":1,"y":2}', '{"y":2,"x":1}', "", " "]
    assert [run(engine, "t", raw).cached for raw in raws] == [False] * 6
    assert [run(engine, "t", raw).cached for raw in raws] == [True] * 6
    assert run(engine, "u", raws[0]).cached is False
    assert len(tool.calls) == 7


def test_X14_a_hit_ends_the_call(run: Runner) -> None:
    sink, tool, seen = MemorySink(), Recorded({"n": 1}), []

    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        seen.append(data)
        if len(seen) > 2:
            raise GuardrailError("asked again")

    engine = Engine(
        [Tool("t", tool)], cache=True, input_guards=[guard], output_guards=[guard], trace=sink
    )
    run(engine, "t", "{}")
    before = len(sink.events)
    assert run(engine, "t", "{}") == ToolResult("t", ok=True, output={"n": 1}, cached=True)
    assert names(sink)[before:] == [*PARSED, "cache.hit"]
    assert (len(tool.calls), len(seen)) == (1, 2)


def test_X15_argument_errors_come_before_the_cache(run: Runner) -> None:
    sink = MemorySink()
    engine = Engine([Tool("t", Recorded(), {"x": int})], cache=True, trace=sink)
    for raw in ("{x", '{"x": "y"}'):
        assert [run(engine, "t", raw).cached for _ in range(2)] == [False, False]
    assert not any(name.startswith("cache.") for name in names(sink))


def test_X16_only_what_succeeded_is_stored_in_normal_form(run: Runner) -> None:
    tool = Recorded(None, [KeyError("k")])
    engine = Engine([Tool("t", tool)], cache=True)
    assert run(engine, "t", "{}").ok is False
    assert run(engine, "t", "{}") == done("null")
    assert run(engine, "t", "{}") == ToolResult("t", ok=True, output="null", cached=True)
    assert len(tool.calls) == 2


def test_X16_what_a_guard_blocks_is_not_stored(run: Runner) -> None:
    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("no")

    tool = Recorded()
    engine = Engine([Tool("t", tool)], cache=True, output_guards=[guard])
    assert [run(engine, "t", "{}").ok for _ in range(2)] == [False, False]
    assert len(tool.calls) == 2


def test_X17_without_a_cache_nothing_is_looked_up_or_stored(run: Runner) -> None:
    sink, tool = MemorySink(), Recorded()
    engine = Engine([Tool("t", tool)], trace=sink)
    assert [run(engine, "t", "{}").cached for _ in range(2)] == [False, False]
    assert len(tool.calls) == 2
    assert not any(name.startswith("cache.") for name in names(sink))


def test_X18_sync_and_async_share_the_cache() -> None:
    engine = Engine([Tool("t", Recorded())], cache=True)
    assert [r(engine, "t", "{}").cached for r in (run_sync, run_async)] == [False, True]
    assert [r(engine, "t", "").cached for r in (run_async, run_sync)] == [False, True]


def test_X19_an_input_guard_blocks(run: Runner) -> None:
    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("not today")

    tool = Recorded()
    engine = Engine([Tool("t", tool)], input_guards=[guard])
    assert run(engine, "t", "{}") == failed("guardrail:not today")
    assert tool.calls == []


def test_X20_guards_run_in_order_and_see_typed_arguments(run: Runner) -> None:
    seen: list[Any] = []

    def first(ctx: Any, tool_name: str, data: Any) -> bool:
        seen.append(("first", ctx is CTX, tool_name, dict(data)))
        data["x"] = "changed"
        return False  # only an exception blocks

    def second(ctx: Any, tool_name: str, data: Any) -> None:
        seen.append(("second", data))
        raise GuardrailError("second")

    def third(ctx: Any, tool_name: str, data: Any) -> None:
        seen.append("third")

    engine = Engine([Tool("t", Recorded(), {"x": int})], input_guards=[first, second, third])
    assert run(engine, "t", '{"x": "2"}') == failed("guardrail:second")
    assert seen == [("first", True, "t", {"x": 2}), ("second", {"x": 2})]


def test_X21_an_output_guard_blocks(run: Runner) -> None:
    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("secret")

    tool = Recorded(errors=[RetryableError("again")])
    engine = Engine([Tool("t", tool)], cache=True, output_guards=[guard], max_retries=1)
    assert run(engine, "t", "{}") == failed("guardrail:secret", attempts=2)
    assert run(engine, "t", "{}").cached is False


@pytest.mark.parametrize("kind", [ValueError, UnicodeError, UserError])
def test_X22_a_value_error_is_the_models_mistake(run: Runner, kind: type[Exception]) -> None:
    tool = Recorded(errors=[kind("mend it")])
    engine = Engine([Tool("t", tool)], max_retries=9)
    assert run(engine, "t", "{}") == failed("user_error:mend it", attempts=1)


def test_X23_a_retryable_error_is_tried_again(run: Runner) -> None:
    tool = Recorded(errors=[RetryableError("again")])
    assert run(Engine([Tool("t", tool)], max_retries=1), "t", "{}") == done("done", attempts=2)
    tool = Recorded(errors=[RetryableError(f"error {number}") for number in range(9)])
    engine = Engine([Tool("t", tool)], max_retries=2)
    assert run(engine, "t", "{}") == failed("tool_error:error 2", attempts=3)


@pytest.mark.parametrize("error", [KeyError("k"), RuntimeError("k"), OSError("k")])
def test_X24_any_other_error_is_the_tools(run: Runner, error: Exception) -> None:
    tool = Recorded(errors=[error])
    engine = Engine([Tool("t", tool)], max_retries=9)
    assert run(engine, "t", "{}") == failed(f"tool_error:{error}", attempts=1)


def test_X25_without_retries_there_is_one_attempt(run: Runner) -> None:
    tool = Recorded(errors=[RetryableError("again")])
    assert run(Engine([Tool("t", tool)]), "t", "{}") == failed("tool_error:again", attempts=1)


async def _for_ever() -> None:
    await asyncio.Event().wait()


def test_X26_the_limit_of_an_async_run() -> None:
    sink = MemorySink()
    engine = Engine(
        [Tool("t", _for_ever)], cache=True, max_retries=9, async_timeout_s=0.02, trace=sink
    )
    assert run_async(engine, "t", "{}") == failed("tool_error:timeout", attempts=1)
    assert names(sink)[-2:] == ["tool.invoke.start", "tool.invoke.timeout"]


def test_X27_the_limit_is_for_each_attempt_of_async_runs_only() -> None:
    now = [0.0]  # the time of the event loop, which the tool sets: nobody waits
    lasting = [4, 4, 4, 6]

    async def tool() -> str:
        now[0] += lasting.pop(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if lasting:
            raise RetryableError("again")
        return "done"

    async def inside(max_retries: int) -> ToolResult:
        asyncio.get_running_loop().time = lambda: now[0]  # type: ignore[method-assign]
        engine = Engine([Tool("t", tool)], max_retries=max_retries, async_timeout_s=5)
        return await engine.run_async(ctx=CTX, name="t", raw="{}")

    # Three attempts of 4 seconds are none too long, though together they are.
    assert asyncio.run(inside(2)) == failed("tool_error:again", attempts=3)
    assert asyncio.run(inside(2)) == failed("tool_error:timeout", attempts=1)

    async def slow() -> str:
        await asyncio.sleep(0.05)
        return "done"

    assert run_sync(Engine([Tool("t", slow)], async_timeout_s=1e-6), "t", "{}") == done("done")


def test_X28_a_sync_run_of_an_async_tool() -> None:
    async def tool(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    engine = Engine([Tool("t", tool, {"x": int})])
    assert run_sync(engine, "t", '{"x": 1}') == done(2)

    async def inside() -> ToolResult:
        return run_sync(engine, "t", '{"x": 1}')

    result = asyncio.run(inside())
    assert result.ok is False
    assert result.error_message is not None
    assert result.error_message.startswith("tool_error:")
    assert "asyncio.run()" in result.error_message


def test_X29_an_async_run_of_a_plain_function_is_inline() -> None:
    def tool() -> tuple[bool, bool]:
        asyncio.get_running_loop()
        return threading.current_thread() is threading.main_thread(), True

    assert run_async(Engine([Tool("t", tool)]), "t", "{}") == done((True, True))


def check_output(run: Runner, output: Any, expected: Any, raw: str = "{}") -> None:
    assert run(Engine([Tool("t", Recorded(output))]), "t", raw) == done(expected)


def test_X30_none_is_a_string(run: Runner) -> None:
    check_output(run, None, "null")


def test_X31_bytes_are_their_length(run: Runner) -> None:
    check_output(run, b"abc", {"type": "bytes", "len": 3})
    check_output(run, bytearray(2), {"type": "bytes", "len": 2})


def test_X32_the_raw_arguments_are_echoed(run: Runner) -> None:
    raw = '{ "x": 1 }'
    check_output(run, {"_echo_raw": True, "a": 1}, {"_echo_raw": True, "a": 1, "raw": raw}, raw)
    for flag in (1, "true", False, None):
        check_output(run, {"_echo_raw": flag}, {"_echo_raw": flag}, raw)


def test_X33_an_output_is_wrapped(run: Runner) -> None:
    check_output(run, {"_wrap": True, "a": 1}, {"tool": "t", "data": {"a": 1}})
    check_output(run, {"_wrap": 1}, {"_wrap": 1})
    both = {"_echo_raw": True, "_wrap": True}
    check_output(run, both, {**both, "raw": "{}"})


def test_X34_anything_else_is_as_it_is(run: Runner) -> None:
    for output in (0, "", [None, b"x"], (1, 2), {"a": None}, object(), float("inf"), {1: {2}}):
        tool = Recorded(output)
        assert run(Engine([Tool("t", tool)]), "t", "{}").output is output
    own = {"_wrap": True, "a": [1]}
    run(Engine([Tool("t", Recorded(own))]), "t", "{}")
    echo = {"_echo_raw": True}
    run(Engine([Tool("t", Recorded(echo))]), "t", "{}")
    assert (own, echo) == ({"_wrap": True, "a": [1]}, {"_echo_raw": True})


def test_X35_output_guards_see_the_normal_form(run: Runner) -> None:
    seen: list[Any] = []

    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        seen.append((ctx is CTX, tool_name, data))

    for output in (None, {"_wrap": True, "a": 1}):
        run(Engine([Tool("t", Recorded(output))], output_guards=[guard]), "t", "{}")
    assert seen == [(True, "t", "null"), (True, "t", {"tool": "t", "data": {"a": 1}})]


def test_X36_the_sink_copies() -> None:
    sink, given = MemorySink(), {"x": 1}
    sink.emit("ev", given)
    given["x"] = 9
    assert sink.events[0].payload == {"x": 1}


def test_X37_the_events_of_a_plain_success(run: Runner) -> None:
    sink = MemorySink()
    run(Engine([Tool("t", Recorded())], cache=True, trace=sink), "t", "{}")
    assert names(sink) == [*PARSED, "cache.miss", *LET_IN, *INVOKED, *LET_OUT, "cache.store"]


def test_X38_the_events_of_failures(run: Runner) -> None:
    def block(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("no")

    def check(tool: Recorded, raw: str, expected: list[str], **options: Any) -> None:
        sink = MemorySink()
        engine = Engine([Tool("t", tool, {"x": int})], trace=sink, **options)
        assert run(engine, "t", raw).ok is False
        assert names(sink) == expected

    begun = [*PARSED, *LET_IN, "tool.invoke.start"]
    again = RetryableError("again")
    check(Recorded(), '{"x": "y"}', [*RESOLVED, "args.parse.start", "args.parse.fail"])
    check(Recorded(), "", [*PARSED, "guard.input.start", "guard.input.block"], input_guards=[block])
    check(
        Recorded(),
        "",
        [*PARSED, *LET_IN, *INVOKED, "guard.output.start", "guard.output.block"],
        output_guards=[block],
    )
    check(Recorded(errors=[ValueError("v")]), "", [*begun, "tool.invoke.user_error"])
    check(Recorded(errors=[KeyError("k")]), "", [*begun, "tool.invoke.fail"])
    check(Recorded(errors=[again] * 3), "", [*begun, *["tool.invoke.retryable"] * 3], max_retries=2)
    check(
        Recorded(errors=[again, KeyError("k")]),
        "",
        [*begun, "tool.invoke.retryable", "tool.invoke.fail"],
        max_retries=2,
    )


def test_X39_what_events_tell(run: Runner) -> None:
    sink = MemorySink()
    tool = Recorded(errors=[RetryableError("again")])
    engine = Engine([Tool("t", tool)], cache=True, trace=sink, max_retries=1)
    run(engine, "t", '{"b": 1, "a": 2}')
    assert payload(sink, "args.parse.ok") == {"tool_name": "t", "keys": ["a", "b"]}
    retry = {"tool_name": "t", "attempt": 1, "err": "again"}
    assert payload(sink, "tool.invoke.retryable") == retry
    assert payload(sink, "tool.invoke.ok") == {"tool_name": "t", "attempts": 2}
    others = {"args.parse.ok", "tool.invoke.retryable", "tool.invoke.ok"}
    assert all(
        event.payload == {"tool_name": "t"} for event in sink.events if event.name not in others
    )


@pytest.mark.parametrize(
    ("error", "event"),
    [(ValueError("v"), "tool.invoke.user_error"), (KeyError("k"), "tool.invoke.fail")],
)
def test_X39_what_the_last_attempt_tells(run: Runner, error: Exception, event: str) -> None:
    sink = MemorySink()
    run(Engine([Tool("t", Recorded(errors=[error]))], trace=sink), "t", "{}")
    assert payload(sink, event) == {"tool_name": "t", "attempt": 1, "err": str(error)}


def test_X39_what_blocks_tell(run: Runner) -> None:
    def block(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("no")

    for option in ("input", "output"):
        sink = MemorySink()
        guards: dict[str, Any] = {f"{option}_guards": [block]}
        run(Engine([Tool("t", Recorded())], trace=sink, **guards), "t", "{}")
        assert payload(sink, f"guard.{option}.block") == {"tool_name": "t", "reason": "no"}
    sink = MemorySink()
    run(Engine([Tool("t", Recorded())], trace=sink), "t", "[1]")
    assert payload(sink, "args.parse.fail") == {"tool_name": "t", "err": "args_not_object"}
    run(Engine([], trace=sink), "nope", "[1]")
    assert payload(sink, "tool.resolve.fail") == {"tool_name": "nope"}


def test_X40_guards_run_also_where_there_are_none(run: Runner) -> None:
    sink = MemorySink()
    run(Engine([Tool("t", Recorded())], trace=sink), "t", "{}")
    assert names(sink) == [*PARSED, *LET_IN, *INVOKED, *LET_OUT]


ERRORS = st.sampled_from([RetryableError("r"), ValueError("v"), KeyError("k"), UserError("u")])
OUTPUTS = st.sampled_from(
    [None, b"x", 5, "text", {"_echo_raw": True}, {"_wrap": True, "a": [1]}, [1, {"b": None}]]
)
RAWS = st.sampled_from(["", "{}", "{x", "[1]", '{"x": "5"}', '{"x": "y"}', '{"x": 1, "z": 2}'])


@given(
    raws=st.lists(RAWS, min_size=1, max_size=4),
    errors=st.lists(ERRORS, max_size=4),
    output=OUTPUTS,
    max_retries=st.integers(0, 3),
    cache=st.booleans(),
    blocked=st.sampled_from(["", "input", "output"]),
    asynchronous=st.booleans(),
)
def test_X41_sync_and_async_do_the_same(
    raws: list[str],
    errors: list[Exception],
    output: Any,
    max_retries: int,
    cache: bool,  # noqa: FBT001
    blocked: str,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    def block(ctx: Any, tool_name: str, data: Any) -> None:
        raise GuardrailError("no")

    def outcome(runner: Runner) -> tuple[list[ToolResult], list[Any], list[dict[str, Any]]]:
        sink, tool = MemorySink(), Recorded(output, errors)

        async def later(**arguments: Any) -> Any:
            await asyncio.sleep(0)
            return tool(**arguments)

        guards: dict[str, Any] = {f"{blocked}_guards": [block]} if blocked else {}
        fn = later if asynchronous else tool
        engine = Engine(
            [Tool("t", fn, {"x": int}, {"y": "d"})],
            cache=cache,
            max_retries=max_retries,
            trace=sink,
            **guards,
        )
        results = [runner(engine, "t", raw) for raw in raws]
        return results, list(sink.events), tool.calls

    assert outcome(run_sync) == outcome(run_async)


def test_X42_the_signatures() -> None:
    for method in (Engine.run_sync, Engine.run_async):
        _, *parameters = inspect.signature(method).parameters.values()
        assert [parameter.name for parameter in parameters] == ["ctx", "name", "raw"]
        assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert inspect.iscoroutinefunction(Engine.run_async)
    assert [*inspect.signature(ToolResult).parameters] == [
        "tool_name",
        "ok",
        "output",
        "error_message",
        "attempts",
        "cached",
    ]


@pytest.mark.parametrize("option", ["input_guards", "output_guards"])
def test_an_async_guard_is_heard_to_its_end(run: Runner, option: str) -> None:
    """Whatever way it is written; and what it returns does not matter, as for a sync one."""

    async def fails(ctx: Any, tool_name: str, data: Any) -> None:
        raise ValueError("not today")

    async def yields(ctx: Any, tool_name: str, data: Any) -> AsyncIterator[None]:
        yield
        raise ValueError("not today")

    def never_runs(ctx: Any, tool_name: str, data: Any) -> Iterator[None]:
        yield
        raise ValueError("not today")

    async def says_false(ctx: Any, tool_name: str, data: Any) -> bool:
        return False

    attempts = int(option == "output_guards")
    guards: dict[Any, str | None] = {
        fails: "not today",
        yields: "not today",
        never_runs: "a guard that yields never runs",
        says_false: None,
    }
    for guard, said in guards.items():
        options: dict[str, Any] = {option: [guard]}
        result = run(Engine([Tool("t", Recorded())], **options), "t", "{}")
        if said is None:
            assert result.ok
        else:
            assert result == failed(f"guardrail:{said}", attempts=attempts)


@pytest.mark.parametrize("option", ["input_guards", "output_guards"])
def test_X43_a_guard_that_breaks_blocks(run: Runner, option: str) -> None:
    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        raise ZeroDivisionError("broken guard")

    guards: dict[str, Any] = {option: [guard]}
    result = run(Engine([Tool("t", Recorded())], **guards), "t", "{}")
    assert result == failed("guardrail:broken guard", attempts=int(option == "output_guards"))


@pytest.mark.parametrize("message", ["the database", "timeout"])
def test_X44_a_tools_own_timeout_error_is_its_own(run: Runner, message: str) -> None:
    async def tool() -> None:
        raise TimeoutError(message)

    sink = MemorySink()
    engine = Engine([Tool("t", tool)], max_retries=9, async_timeout_s=60, trace=sink)
    assert run(engine, "t", "{}") == failed(f"tool_error:{message}", attempts=1)
    assert names(sink)[-1] == "tool.invoke.fail"


@pytest.mark.parametrize("written", ["--5", "²", "-²", "-" * 9, "9" * 5_000, "5-"])
def test_X45_what_only_looks_like_digits_is_a_bad_argument(run: Runner, written: str) -> None:
    check_argument(run, int, written, "bad_int:x")


def test_X46_a_change_of_an_output_alters_no_later_hit(run: Runner) -> None:
    engine = Engine([Tool("t", Recorded({"list": [1]}))], cache=True)
    for _ in range(3):
        output = run(engine, "t", "{}").output
        assert output == {"list": [1]}
        output["list"].append("changed")


# Beside the statements: what `engine.md` says of this interface.


def test_the_context_reaches_a_parameter_named_ctx_only(run: Runner) -> None:
    def first(ctx: Any, x: int) -> list[Any]:
        return [ctx is CTX, x]

    def positional(ctx: Any, /, **more: Any) -> list[Any]:
        return [ctx is CTX, more]

    def without(**more: Any) -> Any:
        return more

    raw = '{"x": 1, "ctx": "from the model"}'
    assert run(Engine([Tool("t", first)]), "t", raw).output == [True, 1]
    assert run(Engine([Tool("t", positional)]), "t", raw).output == [True, {"x": 1}]
    assert run(Engine([Tool("t", without)]), "t", raw).output == json.loads(raw)


def test_an_output_that_cannot_be_copied_is_only_not_kept(run: Runner) -> None:
    lock = threading.Lock()
    seen: list[Any] = []

    def guard(ctx: Any, tool_name: str, data: Any) -> None:
        seen.append(data)

    sink = MemorySink()
    engine = Engine([Tool("t", Recorded(lock))], cache=True, output_guards=[guard], trace=sink)
    assert [run(engine, "t", "{}").output for _ in range(2)] == [lock, lock]
    assert seen == [lock, lock]
    assert "cache.store" not in names(sink)


def test_mistakes_of_the_caller_raise_at_once() -> None:
    tool = Tool("t", Recorded())
    with pytest.raises(ValueError, match="two tools are named 't'"):
        Engine([tool, tool])
    with pytest.raises(ValueError, match="max_retries"):
        Engine([tool], max_retries=-1)
    with pytest.raises(ValueError, match="timeout"):
        Engine([tool], async_timeout_s=0)
    with pytest.raises(TypeError, match="raw must be JSON text, got dict"):
        Engine([tool]).run_sync(ctx=None, name="t", raw={})  # type: ignore[arg-type]
