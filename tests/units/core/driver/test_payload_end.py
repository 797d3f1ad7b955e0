"""`core/driver/payload_end.py`: where a call without a closer ends."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save

ADDRESSES = r"""%import .common.text (TEXT)
start: (TEXT | call)*
call: "tool://" name ["?" argument ("&" argument)*]
argument: key "=" value
name: /[\w.-]+/
key: /[\w-]+/
value: /[^&\s]+/
"""


@pytest.mark.parametrize(
    ("text", "calls", "left"),
    [
        ("tool://f?q=a is slow", [("f", {"q": "a"})], "is slow"),
        ("I try\ntool://f?q=a&n=3\nand wait", [("f", {"q": "a", "n": "3"})], "I try\n\nand wait"),
        ("tool://f?q=a\ntool://g?q=b", [("f", {"q": "a"}), ("g", {"q": "b"})], ""),
        # The name alone may be prose.
        ("tool://f is slow", [], "tool://f is slow"),
        ("tool://f", [], "tool://f"),
        ("tool://f\ntool://g?q=a", [("g", {"q": "a"})], "tool://f"),
    ],
)
def test_text_ends_a_call_that_has_no_closer(
    tmp_path: Path, text: str, calls: list[tuple[str, dict[str, str]]], left: str
) -> None:
    result = read(save(tmp_path, "title: Addresses of tools", ADDRESSES), text)
    assert [(call.name, call.arguments) for call in result.calls] == calls
    assert all(call.executable for call in result.calls)
    assert (result.text, result.diagnostics) == (left, ())


@pytest.mark.parametrize("gap", [", ", " "])
def test_the_arguments_behind_a_call_of_a_list_that_was_closed_are_a_doubt(gap: str) -> None:
    text = f'<|tool_call|>[{{"name": "f"}}{gap}"arguments": {{"path": "a"}}}}]'
    assert [call.doubts for call in read("granite", text).calls] == [("skipped-markup",)]
