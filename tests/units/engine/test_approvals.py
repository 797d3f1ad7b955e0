"""Approvals are bound to the digest of the exact call."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import hashlib
import json
import threading
from decimal import Decimal
from typing import Any

import pytest

from tests.units.engine.driving import Driver, both, call, names, outcome
from toolgrammar import Span, ToolCall
from toolgrammar.engine import (
    Approval,
    ApprovalRequest,
    Approvals,
    Engine,
    MemorySink,
    Retry,
    RetryableError,
    Tool,
    digest,
)


def send(to: str) -> str:
    """Has an effect."""
    return f"sent to {to}"


@both
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (True, ""),
        (False, "not approved"),
        (None, "not approved"),
        (1, "not approved"),
        ("yes", "not approved"),
        (lambda asked: Approval(approved=True, digest=asked.digest), ""),
        (lambda _: Approval(approved=True, digest="another"), "digest mismatch"),
        (lambda asked: Approval(approved=False, digest=asked.digest), "not approved"),
        (lambda asked: Approval(approved=False, digest=asked.digest, reason="no!"), "no!"),
        (ZeroDivisionError("text"), "approval failed: ZeroDivisionError"),
    ],
    ids=[*"abcdefghij"],
)
@pytest.mark.parametrize("later", [False, True], ids=["sync hook", "async hook"])
def test_only_true_or_an_approval_of_this_call_lets_it_run(
    driver: Driver, answer: Any, said: str, *, later: bool
) -> None:
    def hook(request: ApprovalRequest) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer

    async def hook_later(request: ApprovalRequest) -> Any:
        await asyncio.sleep(0)
        return hook(request)

    engine = Engine([send], approval=hook_later if later else hook)
    result = driver.run(engine, call("send", to="a"))
    assert outcome(result) == (
        (None, f"denied:{said}", False, 0) if said else ("sent to a", "", False, 1)
    )


@both
@pytest.mark.parametrize(
    ("wanted", "hook", "said"),
    [
        (True, False, "denied:approval required"),
        (True, True, "denied:not approved"),
        (None, False, ""),
        (None, True, "denied:not approved"),
        (False, True, ""),
        (False, False, ""),
    ],
)
def test_who_is_asked(driver: Driver, *, wanted: bool | None, hook: bool, said: str) -> None:
    sink = MemorySink()
    engine = Engine(
        [Tool(send, approval=wanted)], approval=(lambda _: False) if hook else None, trace=sink
    )
    assert str(driver.run(engine, call("send", to="a")).error or "") == said
    asked = [name for name in names(sink) if name.startswith("approval.")]
    assert asked == (["approval.start", "approval.deny"] if said else [])


def test_sync_hook_does_not_hold_up_the_loop() -> None:
    """People are slow."""
    answered = threading.Event()

    def hook(_: ApprovalRequest) -> bool:
        return answered.wait(30)

    async def main() -> None:
        waiting = asyncio.create_task(Engine([send], approval=hook).run_async(call("send", to="a")))
        for _ in range(5):
            await asyncio.sleep(0.001)
        answered.set()
        assert (await waiting).ok

    asyncio.run(main())


def test_digest_is_of_the_exact_call() -> None:
    first = ToolCall("send", {"to": "ø", "n": [1]}, id="1", raw_arguments="{}", input=None)
    text = json.dumps(["send", "1", "{}", None, {"n": [1], "to": "ø"}], sort_keys=True)
    assert digest(first) == hashlib.sha256(text.encode("ascii")).hexdigest()
    changes: list[dict[str, Any]] = [
        {"name": "sent"},
        {"id": "2"},
        {"id": None},
        {"raw_arguments": "{ }"},
        {"input": ""},
        {"arguments": {"to": "ø", "n": [2]}},
        {"arguments": {"to": "ø", "n": ["1"]}},
    ]
    for change in changes:
        assert digest(dataclasses.replace(first, **change)) != digest(first)
    same_calls: list[dict[str, Any]] = [
        {"span": Span(1, 2)},
        {"status": "repaired"},
        {"depends_on": ("x",)},
        {"arguments": {"n": [1], "to": "ø"}},
    ]
    for same in same_calls:
        assert digest(dataclasses.replace(first, **same)) == digest(first)


def test_digest_of_a_call_by_hand_that_is_no_json() -> None:
    keys: Any = {1: 2, "b": 3}
    strange = [
        ToolCall("x", {"a": b"1"}),
        ToolCall("x", keys),
        ToolCall("x", {"a": "\ud800"}),
    ]
    digests = {digest(each) for each in strange}
    assert len(digests) == 3
    assert digests == {digest(each) for each in strange}


def test_only_a_call_has_a_digest() -> None:
    wrong: Any = "send"
    with pytest.raises(TypeError, match="call must be a ToolCall, got str 'send'"):
        digest(wrong)


@both
def test_approvals_stop_and_go(driver: Driver) -> None:
    approvals = Approvals()
    engine = Engine([send], approval=approvals)
    asked = call("send", to="a")
    for _ in range(2):
        assert str(driver.run(engine, asked).error) == "denied:approval pending"
    (request,) = approvals.pending
    assert (request.call, request.arguments, request.digest) == (asked, {"to": "a"}, digest(asked))
    approvals.approve(request.digest)
    assert list(approvals.pending) == []
    # A changed call needs a new approval.
    assert str(driver.run(engine, call("send", to="b")).error) == "denied:approval pending"
    assert driver.run(engine, asked).value == "sent to a"
    # It is spent by one use.
    assert str(driver.run(engine, asked).error) == "denied:approval pending"
    approvals.deny(request.digest, "no")
    assert str(driver.run(engine, asked).error) == "denied:no"
    assert [each.arguments for each in approvals.pending] == [{"to": "b"}]


def test_approval_is_spent_by_one_use_from_any_thread() -> None:
    approvals = Approvals()
    engine = Engine([send], approval=approvals)
    asked = call("send", to="a")
    approvals.approve(digest(asked))
    results = engine.run_all_sync([asked] * 20)
    assert [each.ok for each in results].count(True) == 1


@both
def test_what_is_approved_is_what_runs(driver: Driver) -> None:
    """Whoever holds the call can change its arguments while somebody is asked, and later."""
    ran: list[Any] = []

    def pay(to: str, lines: list[dict[str, int]] | None = None) -> str:
        ran.append((to, lines))
        asked.arguments["to"] = "mallory"
        if len(ran) == 1:
            raise RetryableError
        return to

    def guard(_: ToolCall, arguments: dict[str, Any]) -> None:
        assert arguments["to"] == "ada"
        asked.arguments["to"] = "mallory"

    def approve(request: ApprovalRequest) -> Approval:
        assert request.arguments["to"] == request.call.arguments["to"] == "ada"
        assert request.digest == digest(request.call) == before
        asked.arguments["to"] = "mallory"
        if "lines" in asked.arguments:
            asked.arguments["lines"][0]["n"] = 99
        return Approval(approved=True, digest=request.digest)

    engine = Engine(
        [pay],
        input_guardrails=[guard],
        approval=approve,
        retries=Retry(max_retries=1, initial=0),
    )
    for asked in (
        ToolCall("pay", {"to": "ada"}, id="1"),
        ToolCall("pay", {"to": "ada", "lines": [{"n": 1}]}, id="2"),
    ):
        before = digest(asked)
        ran.clear()
        result = driver.run(engine, asked)
        assert result.value == "ada"
        assert result.call is asked
        assert ran == [("ada", asked.arguments.get("lines") and [{"n": 1}])] * 2


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({1: "a"}, {"1": "a"}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({"a": Decimal(1)}, {"a": ["Decimal", "Decimal('1')"]}),
        ({"a": Decimal("1.0")}, {"a": Decimal("1.00")}),
        ({"a": True}, {"a": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": None}, {"a": "None"}),
        ({None: 1}, {"null": 1}),
        ({"a": {1}}, {"a": [1]}),
        ({"a": (1,)}, {"a": {1}}),
    ],
)
def test_digests_of_different_arguments_differ(left: Any, right: Any) -> None:
    assert digest(ToolCall("f", left)) != digest(ToolCall("f", right))
    assert digest(ToolCall("f", left)) == digest(ToolCall("f", copy.deepcopy(left)))


def test_arguments_that_hold_themselves_have_a_digest() -> None:
    knot: list[Any] = []
    knot.append(knot)
    assert len(digest(ToolCall("f", {"a": knot}))) == 64
