"""Rewrites the deltas of one choice in a streamed completion.

Example: the deltas `{"content": "Hi.<tool"}`, `{"content": "_call>…</tool_call>"}` become
`{"content": "Hi."}` and `{"tool_calls": [{"index": 0, …}]}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.proxy.answer import AnswerReader, Piece
from toolgrammar.proxy.own_calls import OwnCalls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.proxy.answer import Reading

Choice = dict[str, Any]
_PLAIN: Final = frozenset({"index", "delta", "text", "finish_reason"})
"""The keys of a choice that may be dropped as long as all of its text is held back."""


class StreamedChoice:
    """Rewrites one choice, delta by delta."""

    def __init__(self, reading: Reading, seed: str, index: int) -> None:
        self._reader = AnswerReader(reading, seed, index=index)
        self._own = OwnCalls(reading, seed) if reading.repair else None
        self._index = index
        self._is_chat = True
        # The new indexes of the server's own calls, which share a sequence with those of the text.
        self._places: dict[int, int] = {}
        self._count = 0
        self._said: Any = None
        """The finish reason that the client got in place of the server's; None for no other."""

    @property
    def closed(self) -> bool:
        """Whether the choice has ended."""
        return self._reader.closed

    @property
    def size(self) -> int:
        """The length of the text so far."""
        return self._reader.size

    def take(self, choice: Choice) -> list[Choice]:
        """Returns the choices that one delta becomes; the same object alone if nothing changes."""
        delta, reason = choice.get("delta"), choice.get("finish_reason")
        if self.closed:
            # Some servers say once more why the answer ended; clients take the last word.
            is_same = not reason or self._said in (None, reason)
            return [choice if is_same else {**choice, "finish_reason": self._said}]
        self._is_chat = isinstance(delta, dict) or "text" not in choice
        # A wrong type: the client receives what the server sent.
        if self._is_chat and delta is not None and not isinstance(delta, dict):
            return self._around(choice, reason)
        holder, key = (delta or {}, "content") if self._is_chat else (choice, "text")
        if self._is_chat:
            choice = self._with_own_calls(choice, holder, reason)
            holder = choice.get("delta") or {}
        text = self._text(holder.get(key))
        pieces = self._reader.feed(text) if text else []
        if reason:
            pieces = [*pieces, *self._reader.close(reason)]
        new_reason = self._reason(reason)
        # The common case: the text can be passed on unchanged.
        if new_reason == reason and (pieces == [("content", text)] or not (pieces or text)):
            return [choice]
        shell = self._shell(choice, holder, key)
        if reason:
            has_role = self._is_chat and "role" in shell["delta"]
            role = {"role": shell["delta"].pop("role")} if has_role else {}
            new = [self._written(piece) for piece in pieces]
            # The role comes first; everything that the server sends at the end comes last.
            if role and new:
                new[0] = {**new[0], "delta": {**role, **new[0]["delta"]}}
            elif role:
                shell["delta"] = {**role, **shell["delta"]}
            return [*new, {**shell, "finish_reason": new_reason}]
        if not pieces:
            return [shell] if _tells(shell) else []
        first, *rest = [self._written(piece) for piece in pieces]
        return [_joined(shell, first), *rest]

    def cut(self) -> list[Choice]:
        """Ends an answer that has no finish reason; returns the rest, unfinished calls as text."""
        if self.closed:
            return []
        own: list[Choice] = []
        if self._own is not None and (delta := self._own.close()):
            left = {"index": self._index, "delta": delta, "logprobs": None, "finish_reason": None}
            own.append(self._with_places(left, delta))
        return [*own, *(self._written(piece) for piece in self._reader.close())]

    def _around(self, choice: Choice, reason: object) -> list[Choice]:
        """Returns a choice with a delta of a wrong type unchanged, at the end after the rest."""
        if not reason:
            return [choice]
        # Text of earlier deltas that was held back is due, though this one has no text.
        new = [self._written(piece) for piece in self._reader.close(reason)]
        new_reason = self._reason(reason)
        return [*new, choice if new_reason == reason else {**choice, "finish_reason": new_reason}]

    def _text(self, content: object) -> str:
        """Returns a content that can be read; "" for any other, which is passed on unchanged."""
        if isinstance(content, str):
            return content
        # Content in parts is passed on unchanged, but a fence in it may open a block around the
        # next call.
        for part in content if isinstance(content, list) else ():
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str) and text:
                self._reader.note_aside(text)
        return ""

    def _reason(self, reason: Any) -> Any:
        """Returns the finish reason for the client."""
        own = self._own.reason(reason) if self._own is not None and reason else reason
        found = self._reader.reason(own)
        # Once calls were handed out, a later word must not say that there are none, or no cut.
        if reason and (found != reason or self._reader.given):
            self._said = found
        return found

    def _written(self, piece: Piece) -> Choice:
        """Returns a choice that contains one piece."""
        base: Choice = {"index": self._index, "finish_reason": None}
        if piece[0] == "call":
            # The next free index: clients join pieces of calls by their index, those of the server
            # included.
            delta: dict[str, Any] = {"tool_calls": [{"index": self._count, **piece[1]}]}
            self._count += 1
        elif piece[0] == "reasoning":
            delta = {"reasoning_content": piece[1]}
        else:
            delta = {"content": piece[1]} if self._is_chat else {"text": piece[1]}
        if self._is_chat:
            # Those of the delta are sent once, with its first piece: see `_joined`.
            return {**base, "delta": delta, "logprobs": None}
        return {**base, "text": "", **delta}

    def _shell(self, choice: Choice, holder: Mapping[str, Any], key: str) -> Choice:
        """Returns a copy of a choice without its text."""
        if not isinstance(holder.get(key, ""), str):
            return {**choice, "delta": dict(holder)} if self._is_chat else dict(choice)
        if not self._is_chat:
            return {**choice, "text": ""}
        return {**choice, "delta": {name: part for name, part in holder.items() if name != key}}

    def _with_own_calls(self, choice: Choice, delta: Mapping[str, Any], reason: object) -> Choice:
        """Returns a choice with its own calls in their final form; the same object without any."""
        has_own = bool(delta.get("tool_calls") or delta.get("function_call"))
        if has_own:
            # Before the text is read: beside native calls the policy refuses those of the text.
            self._reader.see_native()
        if self._own is not None and (has_own or reason):
            new = self._own.feed(delta, reason)
            choice, delta = (choice, delta) if new == delta else ({**choice, "delta": new}, new)
        return self._with_places(choice, delta)

    def _with_places(self, choice: Choice, delta: Mapping[str, Any]) -> Choice:
        """Returns a delta whose own calls have indexes and ids that no call of the text has."""
        given = delta.get("tool_calls")
        if not isinstance(given, list):
            return choice
        calls = []
        for call in given:
            old = index_of(call) if isinstance(call, dict) else 0
            # All pieces of one call get the index that the first one got.
            if old not in self._places:
                self._places[old] = self._count
                self._count += 1
            place = self._places[old]
            new: dict[str, Any] = {} if place == old else {"index": place}
            identity = self._reader.native_id(call)
            if identity is not None and identity != call["id"]:
                new["id"] = identity
            calls.append({**call, **new} if new and isinstance(call, dict) else call)
        if all(new is old for new, old in zip(calls, given, strict=True)):
            return choice
        return {**choice, "delta": {**delta, "tool_calls": calls}}


def index_of(item: Mapping[str, Any]) -> int:
    """Returns the index of a choice or a call; 0 if it has none, or one of a wrong type."""
    index = item.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0


def _joined(shell: Choice, first: Choice) -> Choice:
    """Returns the first new choice with everything of the old one but its text."""
    if "delta" in first:
        # The new piece's index: the one from the server may be of a wrong type.
        both = {**first, **shell, "index": first["index"]}
        return {**both, "delta": {**shell["delta"], **first["delta"]}}
    return {**shell, **first}


def _tells(shell: Choice) -> bool:
    """Whether a choice without text carries other information, such as `logprobs`."""
    delta = shell.get("delta")
    if isinstance(delta, dict) and any(part is not None for part in delta.values()):
        return True
    return any(part is not None for name, part in shell.items() if name not in _PLAIN)
