"""Sound values that look like damage: nothing is mended or doubted, whole or in pieces."""

import json

import pytest

from tests.units.core.cuts import read
from toolgrammar import ParseResult


def is_sound(result: ParseResult, **arguments: object) -> bool:
    found = [(call.arguments, call.status, call.executable) for call in result.calls]
    return found == [(arguments, "complete", True)] and result.diagnostics == ()


@pytest.mark.parametrize("form", ["hermes", "apriel", "internlm2"])
@pytest.mark.parametrize(
    "value",
    [
        "a, 'b': c",
        "see the note, 'title': it is new",
        "x, `y`: 1, 'z': \"w\" and so on",
        "{'a': 1, 'b': [2, 'c']}",
        "1, 'b': " + "c" * 600,
        "a, 'b': \\, 'c': 'd'",
    ],
)
def test_strings_of_json_that_hold_members_in_other_quotes(form: str, value: str) -> None:
    call = json.dumps({"name": "run", "arguments": {"text": value, "n": 1}})
    wire = {
        "hermes": f"<tool_call>\n{call}\n</tool_call>",
        "apriel": f"<tool_calls>[{call}]</tool_calls>",
        "internlm2": "<|action_start|><|plugin|>\n"
        f"{call.replace('arguments', 'parameters')}<|action_end|>",
    }[form]
    assert is_sound(read(form, wire), text=value, n=1)


def test_a_closer_in_a_file_that_is_written() -> None:
    body = "// a </content>\nreturn true"
    text = f"<write_to_file><path>a.ts</path><content>\n{body}\n</content></write_to_file>"
    assert is_sound(read("roo_xml", text), path="a.ts", content=body)


@pytest.mark.parametrize(
    ("form", "quoted"),
    [
        ("glm47", "<arg_key>content</arg_key><arg_value>x</arg_value>"),
        (
            "hy_v4",
            (
                "<arg_key:opensource>flag</arg_key:opensource>"
                "<arg_value:opensource>true</arg_value:opensource>"
            ),
        ),
    ],
)
def test_a_quoted_pair_that_is_closed(form: str, quoted: str) -> None:
    value = f"see {quoted} there"
    call = f"write<arg_key>content</arg_key><arg_value>{value}</arg_value>"
    wire = {
        "glm47": f"<tool_call>{call}</tool_call>",
        "hy_v4": "<tool_calls:opensource><tool_call:opensource>"
        f"{call}</tool_call:opensource></tool_calls:opensource>",
    }[form]
    assert is_sound(read(form, wire), content=value)


@pytest.mark.parametrize("value", ["'a'if 1 else'b'", "'a'or'b'"])
def test_an_expression_in_python_is_no_string(value: str) -> None:
    (call,) = read("pythonic", f"[run(command={value})]").calls
    assert not call.executable
