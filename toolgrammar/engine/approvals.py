"""Defines approvals: the request, the answer, and a hook that lets calls wait for an answer.

With `Engine([Tool(pay, approval=True)], approval=approvals)` a call of `pay` ends with the error
`denied:approval pending`, until `approvals.approve(digest)` lets it run once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from toolgrammar.engine.exact import exact_json
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import check_type

PENDING: Final = "approval pending"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that needs an approval."""

    call: ToolCall
    """A copy of the call."""
    arguments: dict[str, Any] = field(hash=False)
    """A copy of the arguments that the tool would get."""
    digest: str
    """The digest of exactly this call."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The answer to a request; it is valid only for the call with this digest."""

    approved: bool
    """Whether the call may run."""
    digest: str
    """The digest of the request that is answered."""
    reason: str = ""
    """Why the call was refused, as a text for the model."""


def digest(call: ToolCall) -> str:
    """Returns the SHA-256 of a call, in hexadecimal; any change of the call changes it.

    The call's place, repairs and dependencies are not included.

    Raises:
        TypeError: it is no call.
    """
    check_type("call", call, ToolCall, "the call of a request or a result")
    # The raw text of the arguments is included: an approval is for the text that was shown, not
    # for other texts with the same meaning.
    parts = [call.name, call.id, call.raw_arguments, call.input, call.arguments]
    return hashlib.sha256(exact_json(parts).encode("ascii")).hexdigest()


class Approvals:
    """An approval hook that refuses calls until `approve` was called with their digests.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pending: dict[str, ApprovalRequest] = {}
        self._answers: dict[str, Approval] = {}

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The requests without an answer, in the order in which they came."""
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
            # There need not be a request: a digest may be approved before its call comes.
            self._pending.pop(answer.digest, None)
            self._answers[answer.digest] = answer

    def __call__(self, request: ApprovalRequest) -> Approval:
        """Returns the answer to a request; a request without an answer becomes pending."""
        with self._lock:
            answer = self._answers.get(request.digest)
            if answer is None:
                # `setdefault`: a repeated request keeps its place in the order.
                self._pending.setdefault(request.digest, request)
                return Approval(approved=False, digest=request.digest, reason=PENDING)
            if answer.approved:
                # An approval is valid once, so that a second identical call asks again. A refusal
                # stays.
                del self._answers[request.digest]
            return answer
