"""Asking before a call runs: the request, the answer, and a hook that stops and goes on later.

A call of `Tool(pay, approval=True)` in an engine with such a hook has the error `denied:approval
pending`, until `approve(digest)` lets it run once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.exact import exact_json

if TYPE_CHECKING:
    from toolgrammar.values.calls import ToolCall

PENDING: Final = "approval pending"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for a word of its owner."""

    call: ToolCall
    """A copy of the call."""
    arguments: dict[str, Any] = field(hash=False)
    """A copy of what the tool would be called with."""
    digest: str
    """What stands for exactly this call."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The answer to a request; it holds for the call with this digest alone."""

    approved: bool
    """Whether the call may run."""
    digest: str
    """The digest of the request that is answered."""
    reason: str = ""
    """Why not, for the model to read."""


def digest(call: ToolCall) -> str:
    """Returns the SHA-256 of a call, in hexadecimal; any change of the call changes it.

    Where it stands, how it was repaired and what it depends on does not count.
    """
    # With the text of the arguments: an approval is for what was shown, not for what reads the
    # same.
    parts = [call.name, call.id, call.raw_arguments, call.input, call.arguments]
    return hashlib.sha256(exact_json(parts).encode("ascii")).hexdigest()


class Approvals:
    """An approval hook for stop-and-go: unknown calls wait, and run again once approved.

    Safe from any thread.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pending: dict[str, ApprovalRequest] = {}
        self._answers: dict[str, Approval] = {}

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The requests that nobody has answered yet, in the order they came."""
        with self._lock:
            return tuple(self._pending.values())

    def approve(self, digest: str) -> None:
        """Lets the call with this digest run once."""
        self._answer(Approval(approved=True, digest=digest))

    def deny(self, digest: str, reason: str = "") -> None:
        """Refuses the call with this digest, until it is approved."""
        self._answer(Approval(approved=False, digest=digest, reason=reason))

    def _answer(self, answer: Approval) -> None:
        with self._lock:
            # Also without a request: who approves a digest beforehand lets the call through when it
            # comes.
            self._pending.pop(answer.digest, None)
            self._answers[answer.digest] = answer

    def __call__(self, request: ApprovalRequest) -> Approval:
        """Returns the answer that was given; a call nobody has spoken about is pending."""
        with self._lock:
            answer = self._answers.get(request.digest)
            if answer is None:
                # `setdefault`: a call that asks again stays where it stands in the order.
                self._pending.setdefault(request.digest, request)
                return Approval(approved=False, digest=request.digest, reason=PENDING)
            if answer.approved:
                # An approval is used up, so that the same call a second time asks again. A refusal
                # stays.
                del self._answers[request.digest]
            return answer
