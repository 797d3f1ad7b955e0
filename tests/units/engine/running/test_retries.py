"""When a failure is tried again, and after how long."""

from __future__ import annotations

import datetime
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest

from tests.units.engine.driving import Driver, both, call, names, outcome
from toolgrammar.engine import Engine, MemorySink, Retry, RetryableError, Tool, UserError


def failing(times: int, error: BaseException) -> Any:
    """A tool that fails so many times."""
    left = [times]

    def tool() -> str:
        if left[0]:
            left[0] -= 1
            raise error
        return "done"

    return tool


@both
def test_attempts_and_the_last_error(driver: Driver) -> None:
    sink = MemorySink()
    engine = Engine([failing(2, RetryableError("busy"))], retries=Retry(2, initial=0), trace=sink)
    assert outcome(driver.run(engine, call("tool"))) == ("done", "", False, 3)
    assert names(sink).count("tool.invoke.start") == 1
    retries = [event.payload for event in sink.events if event.name == "tool.invoke.retry"]
    assert [(each["attempt"], each["delay"], each["message"]) for each in retries] == [
        (1, 0.0, "busy"),
        (2, 0.0, "busy"),
    ]
    engine = Engine([failing(9, RetryableError("busy"))], retries=Retry(2, initial=0))
    assert outcome(driver.run(engine, call("tool"))) == (None, "tool_error:busy", False, 3)


@both
@pytest.mark.parametrize(
    ("error", "retries", "attempts"),
    [
        (ValueError(), Retry(3, initial=0), 1),
        (ValueError(), Retry(3, on=(ValueError,), initial=0), 2),
        (KeyError(), Retry(3, on=LookupError, initial=0), 2),  # type: ignore[arg-type]
        (UserError(), Retry(3, on=(Exception,), initial=0), 1),
        (RetryableError(), Retry(0), 1),
        (RetryableError(), 0, 1),
        (RetryableError(), Retry(initial=0), 2),
    ],
    ids=repr,
)
def test_only_the_named_exceptions_are_retried(
    driver: Driver, error: Exception, retries: int | Retry, attempts: int
) -> None:
    tool = Tool(failing(1, error), name="tool", retries=retries)
    assert driver.run(Engine([tool], retries=5), call("tool")).attempts == attempts


@both
def test_retry_repeats_the_invocation_only(driver: Driver) -> None:
    seen: list[str] = []

    def approve(_: object) -> bool:
        seen.append("approval")
        return True

    engine = Engine(
        [failing(2, RetryableError())],
        retries=Retry(2, initial=0),
        input_guardrails=[lambda *_: seen.append("in")],
        output_guardrails=[lambda *_: seen.append("out")],
        approval=approve,
    )
    assert driver.run(engine, call("tool")).ok
    assert seen == ["in", "approval", "out"]


def test_number_of_retries_is_a_retry() -> None:
    engine = Engine([failing(9, RetryableError())], retries=3)
    retry = Retry(max_retries=3)
    assert engine.tools["tool"].retries is ...
    assert [retry.delay(attempt, RetryableError()) is None for attempt in range(1, 6)] == [
        *(False, False, False),
        *(True, True),
    ]


def test_waits_double_up_to_their_bound() -> None:
    retry = Retry(10, initial=0.5, max_delay=3.0, jitter=False)
    assert [retry.delay(attempt, RetryableError()) for attempt in range(1, 6)] == [
        0.5,
        1.0,
        2.0,
        3.0,
        3.0,
    ]
    assert Retry(5000, jitter=False).delay(4000, RetryableError()) == 30.0


def test_jitter_is_drawn_from_the_whole_range() -> None:
    retry = Retry(10, initial=1.0)
    drawn = [retry.delay(3, RetryableError()) or 0.0 for _ in range(300)]
    assert all(0 <= each <= 4 for each in drawn)
    assert min(drawn) < 0.5
    assert max(drawn) > 3.5


def response(**headers: str) -> Exception:
    """An exception of an HTTP client."""
    error = ConnectionError()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error.response = SimpleNamespace(headers=named)  # type: ignore[attr-defined]
    return error


def test_asked_wait_is_waited_at_least() -> None:
    retry = Retry(3, on=(RetryableError, ConnectionError), initial=0, max_delay=30.0)
    assert retry.delay(1, RetryableError("", retry_after=7)) == 7.0
    assert retry.delay(1, RetryableError("", retry_after=31)) is None
    assert retry.delay(1, RetryableError("", retry_after=-1)) == 0.0
    assert retry.delay(1, response(Retry_After="12")) == 12.0
    assert retry.delay(1, response(retry_after="2.5")) == 2.5
    assert retry.delay(1, response(retry_after="30.5")) is None
    assert retry.delay(1, response(retry_after="99")) is None
    assert retry.delay(1, response(retry_after="soon")) == 0.0
    assert retry.delay(1, response(other="1")) == 0.0
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=20)
    wait = retry.delay(1, response(RETRY_AFTER=format_datetime(soon, usegmt=True)))
    assert wait is not None
    assert 15 < wait <= 20
    past = format_datetime(soon - datetime.timedelta(days=1), usegmt=True)
    assert retry.delay(1, response(retry_after=past)) == 0.0
    longer = Retry(3, initial=8.0, jitter=False)
    assert longer.delay(1, RetryableError("", retry_after=2)) == 8.0


def test_what_is_no_exception_is_never_retried() -> None:
    retry = Retry(3, on=(BaseException,))
    assert retry.delay(1, KeyboardInterrupt()) is None
    assert retry.delay(1, UserError()) is None


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"max_retries": -1}, ValueError, "max_retries must not be negative, got -1"),
        ({"initial": -1}, ValueError, "initial must not be negative, got -1"),
        ({"max_delay": float("nan")}, ValueError, "max_delay must not be negative, got nan"),
        ({"max_retries": "1"}, TypeError, "max_retries must be a whole number, got '1'"),
        ({"max_retries": True}, TypeError, "max_retries must be a whole number, got True"),
        ({"on": (1,)}, TypeError, "Retry(on=…) wants classes of exceptions, got 1"),
        (
            {"on": 3},
            TypeError,
            "on must be classes of exceptions, got int 3: write (ConnectionError,)",
        ),
        ({"initial": "1"}, TypeError, "initial must be an int or float, got str '1'"),
    ],
    ids=repr,
)
def test_wrong_settings(settings: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as caught:
        Retry(**settings)
    assert str(caught.value) == said


@pytest.mark.parametrize("kinds", [KeyError, [KeyError], (KeyError,)])
def test_one_class_and_a_list_of_them_are_taken_as_well(kinds: Any) -> None:
    assert Retry(1, on=kinds).on == (KeyError,)
