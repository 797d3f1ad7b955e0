"""Rewrites the events of a response of OpenAI's Responses API with repaired calls.

An item whose arguments came as `{'city': 'Oslo'}` goes out with `{"city": "Oslo"}`; a call that stood
in the text, or after another in one item, becomes an item of its own at the end of the response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import Withheld, key_of, mapping_of, string_of
from toolgrammar.parsing.call_ids import ArrivingIds
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, Event, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TEXT: Final = "response.output_text.delta"
# The end of a text is not known before that of the response: a call may begin in it.
_TEXT_ENDS: Final = {"response.output_text.done", "response.content_part.done"}
_ENDS: Final = {"response.completed", "response.incomplete"}
_ARGUMENTS: Final = "response.function_call_arguments"


class ResponseWriter:
    """Writes the events of one response."""

    def __init__(self, id_prefix: str | None) -> None:
        self._ids = ArrivingIds(id_prefix)
        self._withheld = Withheld()
        self._items: dict[int, dict[str, Any]] = {}
        """The items of calls by our index, each with its place in the output."""
        self._texts: dict[tuple[object, object], list[str]] = {}
        """The remaining text of each part, by its item and its index in the item."""
        self._text_place: Mapping[str, Any] = {}
        self._next = 0
        self._deferred: list[Event] = []
        self._foreign: set[int] = set()
        self._late: list[Mapping[str, Any]] = []
        self._end: Mapping[str, Any] = {}
        self._sequence = -1

    def chunk(self, chunk: Mapping[str, Any], events: Iterable[Event]) -> list[dict[str, Any]]:
        """Returns what an event becomes that says these events of ours."""
        kind, place = string_of(chunk.get("type")), _place(chunk)
        item = mapping_of(chunk.get("item"))
        if place is not None:
            # Calls that are found in the text go behind every item that the server has or may yet
            # send.
            self._next = max(self._next, place + 1)
        if kind == _TEXT:
            # Noted before anything is left of it: all of the text may be a call.
            self._text_place = chunk
            self._texts.setdefault(_key(chunk), [])
        out = [each for event in events for each in self._event(event, chunk)]
        # These are written again from our events: passed on too, a client would have them twice.
        if kind == _TEXT or kind.startswith(_ARGUMENTS) or item.get("type") == "function_call":
            return self._numbered(out)
        if kind in _TEXT_ENDS or (kind.endswith(".done") and item.get("type") == "message"):
            self._late.append(chunk)
        elif kind in _ENDS:
            self._end = chunk
        else:
            out.append(dict(chunk))
        return self._numbered(out)

    def close(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        """Returns the end of the response."""
        out = [each for event in events for each in self._event(event, {})]
        out += [each for event in self._deferred for each in self._call(event, {})]
        out += [self._with_text(chunk) for chunk in self._late]
        if self._end:
            out.append({**self._end, "response": self._response()})
        return self._numbered(out)

    def _numbered(self, out: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for each in out:
            self._sequence += 1
            # Counted again: some events were omitted, and others put in.
            each["sequence_number"] = self._sequence
        return out

    def _event(self, event: Event, chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
        self._ids.see(event)
        if isinstance(event, TextDelta):
            return self._text(event.text, chunk)
        item = mapping_of(chunk.get("item"))
        if isinstance(event, CallStart):
            if item.get("type") == "custom_tool_call":
                # A custom tool takes text: its item goes through, and no call is written for it.
                self._foreign.add(event.index)
            # Its place is taken, or it has none: it goes behind all items of the response.
            native = item.get("type") == "function_call"
            taken = {each["output_index"] for each in self._items.values()}
            if not native or key_of(chunk.get("output_index")) in taken:
                self._deferred.append(event)
                return []
            return self._call(event, chunk)
        if isinstance(event, ArgumentsDelta | CallEnd):
            if event.index in self._items:
                return self._call(event, chunk)
            self._deferred.append(event)
        return []

    def _text(self, text: str, chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
        place = self._text_place
        # A refusal goes through as it is.
        if not place or string_of(chunk.get("type")).startswith("response.refusal"):
            return []
        self._texts[_key(place)].append(text)
        return [{**place, "delta": text}]

    def _call(self, event: Event, chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the events of a call's item."""
        match event:
            case CallStart(index, name, identity) if index not in self._foreign:
                return [self._begun(index, name, identity, chunk)]
            case ArgumentsDelta(index, json) if index in self._items:
                return self._arguments(index, self._withheld.add(index, json))
            case CallEnd(index, call) if index in self._items:
                out = self._arguments(index, self._withheld.end(index, call))
                item = self._items[index]["item"]
                cut = call.status == "truncated"
                item["status"] = "incomplete" if cut else "completed"
                said = {"arguments": item["arguments"], "name": item["name"]}
                out.append({"type": f"{_ARGUMENTS}.done", **self._of(index), **said})
                place = self._items[index]["output_index"]
                done = {"type": "response.output_item.done", "output_index": place}
                return [*out, {**done, "item": dict(item)}]
            case _:
                return []

    def _begun(
        self, index: int, name: str, identity: str | None, chunk: Mapping[str, Any]
    ) -> dict[str, Any]:
        given = mapping_of(chunk.get("item"))
        place = _place(chunk)
        if place is None:
            place, self._next = self._next, self._next + 1
        call_id = self._ids.next(identity, index, name)
        item = {
            **given,
            "type": "function_call",
            "id": given.get("id") or f"fc_{call_id}",
            "call_id": call_id,
            "name": name,
            "arguments": "",
            "status": "in_progress",
        }
        self._items[index] = {"output_index": place, "item": item}
        return {"type": "response.output_item.added", "output_index": place, "item": dict(item)}

    def _of(self, index: int) -> dict[str, Any]:
        known = self._items[index]
        return {"item_id": known["item"]["id"], "output_index": known["output_index"]}

    def _arguments(self, index: int, json: str) -> list[dict[str, Any]]:
        if not json:
            return []
        self._items[index]["item"]["arguments"] += json
        return [{"type": f"{_ARGUMENTS}.delta", **self._of(index), "delta": json}]

    def _with_text(self, chunk: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the end of a text with what was left of the text."""
        place = chunk.get("output_index")
        text = self._said(place, chunk.get("content_index"))
        found = dict(chunk)
        if "text" in found and text is not None:
            found["text"] = text
        part = mapping_of(chunk.get("part"))
        if "text" in part and text is not None:
            found["part"] = {**part, "text": text}
        if item := mapping_of(chunk.get("item")):
            found["item"] = self._message(place, item)
        return found

    def _said(self, place: object, index: object) -> str | None:
        parts = self._texts.get((key_of(place), key_of(index)))
        return None if parts is None else "".join(parts)

    def _message(self, place: object, item: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an item of text with what was left of its texts."""
        content = item.get("content")
        parts = [dict(mapping_of(part)) for part in content] if isinstance(content, list) else []
        for index, part in enumerate(parts):
            text = self._said(place, index)
            if text is not None and "text" in part:
                part["text"] = text
        return {**item, "content": parts}

    def _response(self) -> dict[str, Any]:
        """Returns the whole response at the end, with its items as they went out."""
        response = mapping_of(self._end.get("response"))
        given = response.get("output")
        output: list[Any] = list(given) if isinstance(given, list) else []
        for place, each in enumerate(output):
            if mapping_of(each).get("type") == "message":
                output[place] = self._message(place, each)
        for known in sorted(self._items.values(), key=lambda each: each["output_index"]):
            place = known["output_index"]
            # A call of the server's own keeps its place; one that was found in a text comes behind
            # them.
            if place < len(output):
                output[place] = dict(known["item"])
            else:
                output.append(dict(known["item"]))
        return {**response, "output": output}


def _key(chunk: Mapping[str, Any]) -> tuple[object, object]:
    """Returns which text of the response a chunk goes on with."""
    return key_of(chunk.get("output_index")), key_of(chunk.get("content_index"))


def _place(chunk: Mapping[str, Any]) -> int | None:
    """Returns the place of an item in the output; None for what is no place, such as -1."""
    place = chunk.get("output_index")
    is_place = isinstance(place, int) and not isinstance(place, bool) and place >= 0
    return place if is_place else None


def response_events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields a whole response as the events by which it could have been streamed."""
    output = response.get("output")
    for place, each in enumerate(output if isinstance(output, list) else ()):
        item, at = mapping_of(each), {"output_index": place}
        yield {"type": "response.output_item.added", **at, "item": item}
        content = item.get("content") if item.get("type") == "message" else None
        for index, part in enumerate(content if isinstance(content, list) else ()):
            if mapping_of(part).get("type") == "output_text":
                where = {**at, "content_index": index}
                yield {"type": "response.content_part.added", **where, "part": part}
                yield {"type": _TEXT, **where, "delta": string_of(mapping_of(part).get("text"))}
        yield {"type": "response.output_item.done", **at, "item": item}
    if error := response.get("error"):
        yield {"type": "response.failed", "response": {"error": error}}
    end = "incomplete" if response.get("status") == "incomplete" else "completed"
    yield {"type": f"response.{end}", "response": response}
