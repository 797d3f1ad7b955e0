"""A text that ends inside a value makes a call behind it doubtful, whatever the formats are."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.core.trust.surroundings import ends_in_value
from toolgrammar.values.tools import ToolSpec

_TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": {"properties": {key: {"type": "string"} for key in keys}}}
    for name, keys in {"note": ("title", "body"), "tide": ("place",)}.items()
]
_SPECS = {"note": ToolSpec("note", parameters={"properties": {"body": {"type": "string"}}})}


def check(text: str, *, known: bool, expected: bool) -> None:
    assert ends_in_value(text, _SPECS if known else {}) is expected


@pytest.mark.parametrize(
    "text",
    [
        '{"nam "note", "arguments": {"body": "see ',
        '{"body": "a \\"quoted\\" word ',
        "note(title='t', body='see ",
        '<no|\\ title="t" body="] ',
        'call:note{title:<|"|>t<|"|>,body:<|"|>see ',
        "body <<EOF\nsee\n",
        "cat <<'EOF' > a.sh\nsee\n",
        "body: |\n  see\n\n  this: ",
    ],
)
def test_a_value_is_open_whatever_the_tools_are(text: str) -> None:
    check(text, known=False, expected=True)


@pytest.mark.parametrize(
    "text",
    [
        "^^^note\nbody ---\nsee\n",
        "^^^notitle ---\nt\n--- title\nbody ---\n",
        "x: note\nbody: see ",
        "<body>see ",
    ],
)
def test_an_argument_tells_where_its_tool_is_known(text: str) -> None:
    check(text, known=True, expected=True)
    check(text, known=False, expected=False)


@pytest.mark.parametrize(
    "text",
    [
        "Let me look.\n",
        'He said "no", and "yes" (\'so\').\n',
        "It's the note's body: don't.\n",
        '{"body": "see"} ',
        "cat <<EOF\nsee\nEOF\n",
        "body ---\nsee\n--- body\n",
        "body: |\n  see\nDone.\n",
        "I write a note.\nThe body: it comes now.\n",
        "call:note{body:<escape>see<escape>} ",
        "1 << 2\n",
    ],
)
def test_prose_and_whole_values_leave_nothing_open(text: str) -> None:
    check(text, known=True, expected=False)


CALL = '<tool_call>{"name": "tide", "arguments": {"place": "Narvik"}}</tool_call>'


@pytest.mark.parametrize("format_id", ["auto", "hermes,{}"])
@pytest.mark.parametrize(
    ("other", "text"),
    [
        ("gemma4", f'<|t_call>call:note{{body:<|"|>see {CALL}<|"|>}}<tool_call|>'),
        ("glm45", f"<tool_cal>note\n<arg_key>body</arg_key>\n<arg_value>see {CALL}</arg_value>"),
        ("pythonic", f"[n>]ote(title='t', body='see {CALL}')]"),
        ("langchain_xml", f"<tol>note</tool><tool_input>see {CALL}</tool_input>"),
        ("reploid0", f"T,OOL: note\ntitle <<EOF\nt\nEOF\nbody <<EOF\nsee {CALL}\nEOF\n"),
        ("code_assistant_caret", f"^^note\nbody ---\nsee {CALL}\n--- body\n^^^"),
        ("muse", f'<atem:invke name="note">\n<atem:parameter name="body">see {CALL}'),
    ],
)
def test_a_call_behind_the_damaged_opener_of_another_format_does_not_run(
    format_id: str, other: str, text: str
) -> None:
    result = read(format_id.format(other), text, tools=_TOOLS)
    # In the argument of a call that is mended it may be text, too.
    assert not any(call.executable for call in result.calls if call.name == "tide")
    assert not result.ok
