"""Builds the events of the Responses API for an answer that is read as it arrives.

Example: the delta `TextDelta("On it.")` becomes the events that open a message and its text, and a
`ResponseTextDeltaEvent`; a call becomes a whole `function_call` item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents.models.fake_id import FAKE_RESPONSES_ID
from openai.types.responses import (
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputText,
    ResponseReasoningSummaryPartAddedEvent,
    ResponseReasoningSummaryPartDoneEvent,
    ResponseReasoningSummaryTextDeltaEvent,
    ResponseTextDeltaEvent,
)
from openai.types.responses.response_reasoning_summary_part_added_event import (
    Part as AddedPart,
)
from openai.types.responses.response_reasoning_summary_part_done_event import (
    Part as DonePart,
)

from toolgrammar.agents.openai_items import call_item, message_item, reasoning_item
from toolgrammar.values.events import TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from openai.types.responses import ResponseCompletedEvent, ResponseUsage

    from toolgrammar.agents.answers import AnswerCall
    from toolgrammar.agents.reading import Delta


class AnswerEvents:
    """Builds the events of one answer, each with its number and the index of its item."""

    def __init__(self, *, repair: bool = False) -> None:
        """Sets up an answer without events.

        Args:
            repair: whether native calls are read, and built anew at the end.
        """
        self._repair = repair
        self.count = 0
        """The number of events so far."""
        self.native = False
        """Whether the answer has native calls."""
        self.usage: ResponseUsage | None = None
        """The tokens of all requests for the answer."""
        self._items: dict[int, Any] = {}
        # Indexes in this answer are shared by all items: those passed on and those read from text.
        self._next = 0
        # The inner model has indexes of its own for its items.
        self._places: dict[int, int | None] = {}
        self._text: _Open | None = None
        self._reasoning: _Open | None = None

    @property
    def items(self) -> list[Any]:
        """The complete items, in their order."""
        # Sorted, since an item that was opened first may be completed last.
        return [item for _, item in sorted(self._items.items())]

    def forget_indexes(self) -> None:
        """Begins the next answer of the inner model, with new indexes."""
        self._places.clear()

    def passed(self, event: Any) -> Iterator[Any]:
        """Yields an event of the inner model, except those of what is read: its messages, say."""
        inner = getattr(event, "output_index", None)
        # Events such as `response.created` concern the whole answer and have no `output_index`.
        if inner is None:
            yield self._made(event.model_copy())
            return
        kind = getattr(getattr(event, "item", None), "type", None)
        if inner not in self._places:
            # The text of messages is read, and emitted again as text of this answer.
            is_text = kind == "message" or event.type.startswith(
                ("response.content_part", "response.output_text")
            )
            is_read = is_text or (self._repair and kind == "function_call")
            self._places[inner] = None if is_read else self._place()
        place = self._places[inner]
        if place is None:
            return
        self.native = self.native or kind == "function_call"
        # Only then is the item complete: `added` has it without its arguments.
        if event.type == "response.output_item.done":
            self._items[place] = event.item
        yield self._made(event.model_copy(update={"output_index": place}))

    def shown(self, deltas: Iterable[Delta]) -> Iterator[Any]:
        """Yields the events for more text or reasoning."""
        for delta in deltas:
            if isinstance(delta, TextDelta):
                yield from self._more_text(delta.text)
            else:
                yield from self._more_reasoning(delta.text)

    def _more_text(self, text: str) -> Iterator[Any]:
        """Yields the events for more text, and first those that open its item."""
        opened = self._text
        if opened is None:
            opened = self._text = _Open(self._place())
            # The API opens an empty item, then its part, and only then sends the text.
            item = message_item("").model_copy(update={"content": [], "status": "in_progress"})
            yield self._item_event(ResponseOutputItemAddedEvent, "added", opened.place, item)
            yield self._part(ResponseContentPartAddedEvent, "content_part.added", opened, "")
        opened.texts.append(text)
        yield self._event(
            ResponseTextDeltaEvent,
            "output_text.delta",
            opened.place,
            item_id=FAKE_RESPONSES_ID,
            content_index=0,
            delta=text,
            logprobs=[],
        )

    def _more_reasoning(self, text: str) -> Iterator[Any]:
        """Yields the events for more reasoning, and first those that open its item."""
        opened = self._reasoning
        if opened is None:
            opened = self._reasoning = _Open(self._place())
            item = reasoning_item("").model_copy(update={"summary": []})
            yield self._item_event(ResponseOutputItemAddedEvent, "added", opened.place, item)
            yield self._event(
                ResponseReasoningSummaryPartAddedEvent,
                "reasoning_summary_part.added",
                opened.place,
                item_id=FAKE_RESPONSES_ID,
                summary_index=0,
                part=AddedPart(text="", type="summary_text"),
            )
        opened.texts.append(text)
        yield self._event(
            ResponseReasoningSummaryTextDeltaEvent,
            "reasoning_summary_text.delta",
            opened.place,
            item_id=FAKE_RESPONSES_ID,
            summary_index=0,
            delta=text,
        )

    def texts_end(self) -> Iterator[Any]:
        """Yields the events that end the reasoning and the text."""
        # Reasoning first: it was opened before the text that followed it.
        if self._reasoning is not None:
            opened, self._reasoning = self._reasoning, None
            text = "".join(opened.texts)
            yield self._event(
                ResponseReasoningSummaryPartDoneEvent,
                "reasoning_summary_part.done",
                opened.place,
                item_id=FAKE_RESPONSES_ID,
                summary_index=0,
                part=DonePart(text=text, type="summary_text"),
            )
            yield self._done(opened.place, reasoning_item(text))
        if self._text is not None:
            opened, self._text = self._text, None
            text = "".join(opened.texts)
            yield self._part(ResponseContentPartDoneEvent, "content_part.done", opened, text)
            yield self._done(opened.place, message_item(text))

    def calls(self, calls: Iterable[AnswerCall]) -> Iterator[Any]:
        """Yields the events of complete calls."""
        for call in calls:
            place, item = self._place(), call_item(call)
            # The API opens a call without arguments, which follow as deltas. Here one delta has all
            # of them, since only the end of a call shows whether it may run.
            begun = item.model_copy(update={"arguments": ""})
            yield self._item_event(ResponseOutputItemAddedEvent, "added", place, begun)
            yield self._event(
                ResponseFunctionCallArgumentsDeltaEvent,
                "function_call_arguments.delta",
                place,
                item_id=FAKE_RESPONSES_ID,
                delta=call.json,
            )
            yield self._event(
                ResponseFunctionCallArgumentsDoneEvent,
                "function_call_arguments.done",
                place,
                item_id=FAKE_RESPONSES_ID,
                name=call.name,
                arguments=call.json,
            )
            yield self._done(place, item)

    def completed(self, event: ResponseCompletedEvent) -> ResponseCompletedEvent:
        """Returns the inner model's last event, with the items that were emitted."""
        # An answer without any item would not be an answer.
        output = self.items or [message_item("")]
        fields = {"output": output, "usage": self.usage}
        response = event.response.model_copy(update=fields)
        last: ResponseCompletedEvent = self._made(event.model_copy(update={"response": response}))
        return last

    def _place(self) -> int:
        self._next += 1
        return self._next - 1

    def _done(self, place: int, item: Any) -> Any:
        self._items[place] = item
        self.native = self.native or isinstance(item, ResponseFunctionToolCall)
        return self._item_event(ResponseOutputItemDoneEvent, "done", place, item)

    def _item_event(self, kind: Any, name: str, place: int, item: Any) -> Any:
        return self._event(kind, f"output_item.{name}", place, item=item)

    def _part(self, kind: Any, name: str, opened: _Open, text: str) -> Any:
        part = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
        return self._event(
            kind, name, opened.place, item_id=FAKE_RESPONSES_ID, content_index=0, part=part
        )

    def _event(self, kind: Any, label: str, place: int, **fields: Any) -> Any:
        number = self.count
        self.count += 1
        return kind(type=f"response.{label}", output_index=place, sequence_number=number, **fields)

    def _made(self, event: Any) -> Any:
        """Returns an event of the inner model with its number in this answer."""
        # The inner model's numbers have gaps where its text was removed; clients expect none.
        if hasattr(event, "sequence_number"):
            event.sequence_number = self.count
            self.count += 1
        return event


class _Open:
    """A text that is still growing."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.texts: list[str] = []
