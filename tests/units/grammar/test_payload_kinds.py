"""`grammar/payload_kinds.py`: each payload of the table is read, streamed, mended or cut, and written."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lark import UnexpectedInput

from toolgrammar import Format, load_format, parse
from toolgrammar.catalogue.features import features_of
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.testing import Case, laws


class Sample(NamedTuple):
    """A value in a payload."""

    role: str
    wire: str
    value: Any
    """The arguments, the value of the argument `a`, or the input."""
    header: str = ""
    refused: tuple[str, ...] = ()
    """Texts that are in no such notation, one for each of its rules."""


SAMPLES = {
    "RAW": Sample("value", "x y", "x y"),
    "RAW_STRING": Sample("value", "42", "42"),
    "JSON_OBJECT": Sample(
        "arguments",
        '{"a": "x\\n\\u00e9", "n": [1, null]}',
        {"a": "x\n\u00e9", "n": [1, None]},
        refused=(
            '{"a": 1; "b": 2}',
            '{"a"; 1}',
            '{"a": 1,}',
            '{"a": 1',
            "{a: 1}",
            '{"a": [1}',
            '{"a": 01}',
            '{"a": "\\q"}',
            '{"a": "\\u00e"}',
            '{"a": "\n"}',
            '{"a": True}',
            "[1]",
        ),
    ),
    "JSON_VALUE": Sample(
        "value",
        '["x", {"b": true}]',
        ["x", {"b": True}],
        refused=('["x"; 1]', '["x",]', '["x"', "['x']", '{"b"}', "{b: 1}", "x", "1."),
    ),
    "JSON_NUMBER": Sample(
        "value", "-1.5e3", -1500.0, refused=("01", "+1", "1.", ".5", "1e", "- 1")
    ),
    "JSON_BOOLEAN": Sample("value", "true", value=True, refused=("True", "tru", "truex", "tru e")),
    "JSON_NULL": Sample("value", "null", None, refused=("None", "nul", "nullx")),
    "JSON_ARRAY": Sample(
        "value",
        '[1, "x"]',
        [1, "x"],
        refused=("[1; 2]", "[1 2]", "[1,]", "[1", "[1}"),
    ),
    "JSON_TEXT": Sample(
        "input",
        '"a \\"b\\"\\n"',
        'a "b"\n',
        refused=("'a'", '"a', '"\\q"', '"\\u00e"', '"a\n"', "a", '["a"]'),
    ),
    "TEMPLATE_OBJECT": Sample(
        "arguments",
        '{"a": `x\\``, "n": 1}',
        {"a": "x`", "n": 1},
        refused=(
            '{"a": `x; "n": 1}',
            '{"a": `x` "n": 1}',
            '{`a`: "x"}',
            '{"a": `x`,}',
            '{"a": 01}',
        ),
    ),
    "BARE_OBJECT": Sample(
        "arguments",
        "{a:'x y',n:{b:true}}",
        {"a": "x y", "n": {"b": True}},
        refused=("{a;1}", "{a:'x' n:1}", "{a:'x'", "{a:[1}", "{:1}", "[1]"),
    ),
    "ELEMENTS": Sample(
        "arguments",
        "~<a>x~</a>~<n>~<b>y~</b>~</n>",
        {"a": "x", "n": {"b": "y"}},
        '//@ element: "~"\n',
        refused=("~<a>x~</b>", "~<a>x", "~<a>~<b>x~</a>", "~<>x~</>"),
    ),
    "PYTHON_ARGUMENTS": Sample(
        "arguments",
        "a='x\\'\\x41', n=[1, None]",
        {"a": "x'A", "n": [1, None]},
        refused=(
            "a='x'; n=1",
            "a='x' n=1",
            "a:1",
            "a='x",
            "a=[1",
            "a=[1}",
            "a=x",
            "a=1, a=2",
            "a=1, 2",
        ),
    ),
}
"""A sample of each payload that a call can have."""
each_payload = pytest.mark.parametrize(
    "name", [n for n in PAYLOADS if n not in ("TEXT", "SKIPPED")]
)


def _format(folder: Path, name: str) -> Format:
    sample = SAMPLES[name]
    part = {
        "arguments": "arguments",
        "input": "input",
        "value": 'argument\nargument: key "=" value\nkey: /\\b\\w+/',
    }[sample.role]
    head, _, rest = part.partition("\n")
    declared = "TEXT" if name == "TEXT" else f"TEXT {name}"
    path = folder / "mine.lark"
    path.write_text(
        f"//@ id: mine\n{sample.header}%declare {declared}\nstart: (TEXT | call)*\n"
        f'call: "@@" name "(" {head} ")@@"\nname: /\\w+/\n{rest}\n{sample.role}: {name}\n',
        encoding="utf-8",
    )
    return load_format(path)


def _case(folder: Path, name: str) -> Case:
    sample = SAMPLES[name]
    key = "a=" if sample.role == "value" else ""
    call: dict[str, Any] = {"name": "f", "arguments": {}}
    match sample.role:
        case "value":
            call["arguments"] = {"a": sample.value}
        case "input":
            call["input"] = sample.value
        case _:
            call["arguments"] = sample.value
    text = f"See:\n@@f({key}{sample.wire})@@\nDone."
    return Case(name, _format(folder, name), text, calls=(call,), status=("complete",))


def test_every_payload_has_a_sample() -> None:
    assert set(SAMPLES) == set(PAYLOADS) - {"TEXT", "SKIPPED"}


@each_payload
def test_each_payload_keeps_every_law(tmp_path: Path, name: str) -> None:
    case = _case(tmp_path, name)
    for _, law in laws.laws_of(case):
        law(case)


@each_payload
def test_what_is_no_payload_is_mended_or_refused(tmp_path: Path, name: str) -> None:
    case = _case(tmp_path, name)
    assert isinstance(case.format, Format)
    sample = SAMPLES[name]
    for wire in sample.refused:
        text = case.text.replace(sample.wire, wire)
        calls = parse(text, format=case.format).calls
        assert not any(call.status == "complete" and call.executable for call in calls), wire
        with pytest.raises(UnexpectedInput):
            case.format.tree(text)


@each_payload
def test_each_payload_is_written(tmp_path: Path, name: str) -> None:
    case = _case(tmp_path, name)
    form = case.format
    assert isinstance(form, Format)
    [call] = parse(case.text, format=form).calls
    wire = form.render([call])
    assert wire.startswith("@@f(")
    if PAYLOADS[name].shown and SAMPLES[name].role == "arguments":
        assert features_of(form).payload == (PAYLOADS[name].shown,)
