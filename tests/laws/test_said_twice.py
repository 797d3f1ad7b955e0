"""What the object around a call says twice changes nothing that was emitted, and never runs."""

import json
from collections.abc import Iterator

import toolgrammar
from tests.laws.every_case import each_format, hold, page_cases
from toolgrammar import CallEnd, CallStart, ToolCall
from toolgrammar.testing import Case

_OTHER: dict[type, object] = {dict: {"other": 1}, list: ["other"], str: "other_tool"}


def _said_twice(case: Case, calls: tuple[ToolCall, ...]) -> Iterator[str]:
    """Yields the text with one member more: one that the object of a call has already."""
    for call in calls:
        place = case.text.find("{", call.span.start)
        while 0 <= place < call.span.end:
            try:
                value, end = json.JSONDecoder().raw_decode(case.text, place)
            except ValueError:
                value, end = None, 0
            if isinstance(value, dict) and call.name in value.values():
                for key, said in value.items():
                    other = json.dumps(_OTHER.get(type(said), 7))
                    if isinstance(said, str) and said[:1] == "{":
                        other = json.dumps('{"other": 1}')
                    yield f'{case.text[: end - 1]}, "{key}": {other}{case.text[end - 1 :]}'
                break
            place = case.text.find("{", place + 1)


def _deed(call: ToolCall) -> str:
    return json.dumps([call.name, call.arguments, call.input], sort_keys=True)


def _said_once(case: Case) -> None:
    read = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
    meant = {_deed(call) for call in read.calls}
    for text in _said_twice(case, read.calls):
        for format in (case.format, [case.format, "fenced_json"], "auto"):
            for strict in (False, True):
                found = toolgrammar.parse(text, format, tools=case.tools, prefix=case.prefix,
                                          strict=strict)  # fmt: skip
                wrong = [call for call in found.calls if call.executable]
                wrong = [call for call in wrong if _deed(call) not in meant]
                assert not wrong, f"{format}, strict={strict}: {text!r} runs {wrong}"
            names: dict[int, str] = {}
            for event in toolgrammar.stream(list(text), format, tools=case.tools,
                                            prefix=case.prefix):  # fmt: skip
                if isinstance(event, CallStart):
                    names[event.index] = event.name
                if isinstance(event, CallEnd):
                    assert names[event.index] == event.call.name, text


@each_format
def test_what_is_said_twice_counts_once_and_never_runs(format_id: str) -> None:
    hold(_said_once, page_cases(format_id))
