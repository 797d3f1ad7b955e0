"""The steps of a call and their order; errors are values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.units.engine.driving import Driver, both, call, names, outcome, written
from toolgrammar import ToolCall
from toolgrammar.engine import (
    Engine,
    GuardrailError,
    MemoryCache,
    MemorySink,
    RetryableError,
    Tool,
    ToolError,
    ToolFailed,
    ToolResult,
    UserError,
)


def add(left: int, right: int = 1) -> int:
    """Adds."""
    return left + right


STEPS = [
    "call.start",
    "tool.resolve.start",
    "tool.resolve.ok",
    "args.parse.start",
    "args.parse.ok",
    "cache.miss",
    "guard.input.start",
    "guard.input.ok",
    "approval.start",
    "approval.ok",
    "tool.invoke.start",
    "tool.invoke.ok",
    "guard.output.start",
    "guard.output.ok",
    "cache.store",
    "call.end",
]


@both
def test_steps_come_in_order(driver: Driver) -> None:
    sink = MemorySink()
    engine = Engine([add], cache=True, approval=lambda _: True, trace=sink)
    assert outcome(driver.run(engine, written("add", '{"left": 1}', left=1))) == (2, "", False, 1)
    assert names(sink) == STEPS


@both
def test_hit_ends_the_call(driver: Driver) -> None:
    """No guardrail, no approval, no invocation; `attempts` is 0."""
    seen: list[str] = []

    def approve(_: object) -> bool:
        seen.append("approval")
        return True

    sink = MemorySink()
    engine = Engine(
        [add],
        cache=True,
        input_guardrails=[lambda *_: seen.append("in")],
        output_guardrails=[lambda *_: seen.append("out")],
        approval=approve,
        trace=sink,
    )
    asked = written("add", '{"left": 1}', left=1)
    driver.run(engine, asked)
    assert seen == ["in", "approval", "out"]
    assert outcome(driver.run(engine, asked)) == (2, "", True, 0)
    assert seen == ["in", "approval", "out"]
    again = names(sink)[len(STEPS) :]
    assert again == [*STEPS[:5], "cache.hit", "call.end"]


@both
def test_arguments_are_read_before_the_cache_is_asked(driver: Driver) -> None:
    cache = MemoryCache()
    cache.set(("add", "{}"), "5")
    engine = Engine([add], cache=cache)
    assert driver.run(engine, written("add", "{}")).error == ToolError(
        "bad_args", "left: Field required"
    )


@both
def test_unknown_tool(driver: Driver) -> None:
    """By exact name."""
    sink = MemorySink()
    engine = Engine([add], trace=sink)
    assert outcome(driver.run(engine, call("Add"))) == (None, "unknown_tool:Add", False, 0)
    assert names(sink) == ["call.start", "tool.resolve.start", "tool.resolve.fail", "call.end"]


@both
@pytest.mark.parametrize(
    ("given", "settings", "said"),
    [
        ({"status": "truncated"}, {}, "refused:truncated"),
        ({"status": "truncated"}, {"allow_doubtful": True}, "refused:truncated"),
        ({"status": "truncated"}, {"approval": lambda _: True}, "refused:truncated"),
        ({"status": "truncated"}, {"allow_truncated": True}, ""),
        ({"doubts": ("inner-quote",)}, {}, "refused:doubtful"),
        ({"doubts": ("inner-quote",)}, {"allow_truncated": True}, "refused:doubtful"),
        ({"doubts": ("inner-quote",)}, {"allow_doubtful": True}, ""),
        ({"doubts": ("inner-quote",)}, {"approval": lambda _: True}, ""),
        ({"doubts": ("inner-quote",)}, {"approval": lambda _: False}, "denied:not approved"),
        ({"status": "unreadable", "error": "no JSON"}, {}, "bad_args:no JSON"),
        ({"status": "repaired"}, {}, ""),
    ],
)
def test_truncated_and_doubtful_calls_are_refused(
    driver: Driver, given: dict[str, Any], settings: dict[str, Any], said: str
) -> None:
    result = driver.run(Engine([add], **settings), ToolCall("add", {"left": 1}, **given))
    assert str(result.error or "") == said
    assert result.attempts == (0 if said else 1)


@both
def test_doubtful_call_is_refused_where_the_hook_is_not_asked_for_the_tool(driver: Driver) -> None:
    engine = Engine([Tool(add, approval=False)], approval=lambda _: True)
    doubtful = ToolCall("add", {"left": 1}, doubts=("inner-quote",))
    assert str(driver.run(engine, doubtful).error) == "refused:doubtful"


@both
def test_input_guardrails_run_in_order_and_the_first_block_ends_the_call(driver: Driver) -> None:
    seen: list[str] = []

    def first(asked: ToolCall, arguments: dict[str, Any]) -> None:
        seen.append(f"first {asked.name} {arguments}")

    def second(*_: object) -> None:
        raise GuardrailError("not today")

    sink = MemorySink()
    engine = Engine([add], input_guardrails=[first, second, first], trace=sink)
    assert outcome(driver.run(engine, call("add", left="1"))) == (
        None,
        "guardrail:not today",
        False,
        0,
    )
    assert seen == ["first add {'left': 1}"]  # coerced
    assert names(sink)[-3:] == ["guard.input.start", "guard.input.block", "call.end"]


@both
def test_output_guardrail_sees_the_normalised_value_and_blocks_it(driver: Driver) -> None:
    """Error, no value, not stored, `attempts` kept."""
    seen: list[Any] = []
    cache = MemoryCache()

    def pair() -> tuple[int, int]:
        return (1, 2)

    def guard(_: ToolCall, value: Any) -> None:
        seen.append(value)
        raise KeyError("secret")

    engine = Engine([pair], output_guardrails=[guard], cache=cache)
    assert outcome(driver.run(engine, written("pair"))) == (None, "guardrail:'secret'", False, 1)
    assert seen == [[1, 2]]
    assert len(cache) == 0


class Unlike:
    """Like a boolean, or an array, of numpy: another object than `False`, or neither true nor not."""

    def __init__(self, *, false: bool) -> None:
        self.false = false

    def __bool__(self) -> bool:
        if not self.false:
            raise ValueError("the truth of several values is ambiguous")
        return False

    def __repr__(self) -> str:
        return "numpy's"


@both
@pytest.mark.parametrize("side", ["input_guardrails", "output_guardrails"])
def test_answer_that_is_neither_true_nor_false_blocks(driver: Driver, side: str) -> None:
    sink = MemorySink()
    settings: dict[str, Any] = {side: [lambda *_: Unlike(false=False)], "trace": sink}
    result = driver.run(Engine([add], **settings), call("add", left=1))
    assert str(result.error) == "guardrail:the truth of several values is ambiguous"
    assert names(sink)[-2:] == [f"guard.{side.partition('_')[0]}.block", "call.end"]


@both
@pytest.mark.parametrize("side", ["input_guardrails", "output_guardrails"])
@pytest.mark.parametrize("answer", [None, True, 1, "no", [0]])
@pytest.mark.parametrize("refusal", [False, 0, 0.0, "", [], {}, Unlike(false=True)], ids=repr)
def test_false_values_but_none_block(
    driver: Driver, side: str, answer: object, refusal: object
) -> None:
    def judge(*_: object) -> object:
        return answer

    def refuse(*_: object) -> object:
        return refusal

    async def refuse_later(*_: object) -> object:
        return refusal

    settings: dict[str, Any] = {side: [judge]}
    assert driver.run(Engine([add], **settings), call("add", left=1)).value == 2
    for guard in (refuse, refuse_later):
        settings = {side: [judge, guard]}
        result = driver.run(Engine([add], **settings), call("add", left=1))
        assert result.error == ToolError("guardrail", guard.__name__)


@both
@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (UserError("no such city"), "user_error:no such city"),
        (RetryableError("busy"), "tool_error:busy"),
        (RetryableError(), "tool_error:RetryableError"),
        (ValueError("bad"), "tool_error:bad"),
        (GuardrailError("mine"), "tool_error:mine"),
        (TimeoutError("db"), "tool_error:db"),
        (TimeoutError(), "tool_error:TimeoutError"),
        (TimeoutError("timeout"), "tool_error:TimeoutError: timeout"),
        (StopIteration(3), "tool_error:3"),
        (StopAsyncIteration(), "tool_error:StopAsyncIteration"),
        (ExceptionGroup("two", [ValueError("a")]), "tool_error:two (1 sub-exception)"),
    ],
    ids=repr,
)
def test_what_a_tool_raises_is_a_value(driver: Driver, raised: Exception, said: str) -> None:
    def tool() -> None:
        raise raised

    assert outcome(driver.run(Engine([tool], retries=0), call("tool"))) == (None, said, False, 1)


@both
def test_exception_whose_text_fails_is_named_by_its_type(driver: Driver) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def tool() -> None:
        raise MuteError

    assert str(driver.run(Engine([tool]), call("tool")).error) == "tool_error:MuteError"


@both
def test_long_messages_are_cut_like_results(driver: Driver) -> None:
    def tool() -> None:
        raise UserError("a" * 2_000 + "b" * 1_000)

    message = driver.run(Engine([tool]), call("tool")).error
    assert message is not None
    assert message.message == (
        "a" * 1_500 + "\n[toolgrammar: 1000 of 3000 characters cut]\n" + "b" * 500
    )


@both
def test_secrets_are_taken_out_of_messages(driver: Driver) -> None:
    def tool() -> None:
        raise UserError("the key sk-abcdefgh12345678 is wrong")

    assert str(driver.run(Engine([tool]), call("tool")).error) == "user_error:the key *** is wrong"
    open_engine = Engine([tool], redact=None)
    assert "sk-abcdefgh" in str(driver.run(open_engine, call("tool")).error)


def test_result_is_plain_data() -> None:
    failed = ToolResult(call("add"), error=ToolError("user_error", "no"), attempts=2)
    fine = ToolResult(call("add", left=1), value={"a": [1]}, cached=True, seconds=0.5)
    for result in (failed, fine):
        data = json.loads(json.dumps(result.to_dict()))
        assert data["schema"] == 1
        assert ToolResult.from_dict(data) == result
    with pytest.raises(ToolFailed, match="add: user_error:no") as caught:
        failed.raise_for_error()
    assert caught.value.result is failed
    assert fine.raise_for_error() is fine
    assert failed.content == "Error: user_error:no"
    assert fine.content == '{"a":[1]}'
    assert ToolResult(call("add"), value="ø").content == "ø"
    assert ToolResult(call("add"), value=["ø"]).content == '["ø"]'
    assert ToolResult(call("add")).content == "null"
    assert not failed.ok


@both
def test_result_holds_the_very_call(driver: Driver) -> None:
    asked = call("add", left=1)
    assert driver.run(Engine([add]), asked).call is asked
