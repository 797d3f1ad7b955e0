"""Raw values that are typed by their own shape, and entities in raw payloads."""

from pathlib import Path
from typing import Any

import pytest

import toolgrammar
from tests.units.core.cuts import read, save
from toolgrammar import ArgumentsDelta, InputDelta, Parser, ToolCall

RULES = r"""
%import .common.text (TEXT, RAW, NAME)
start: (TEXT | call)*
call: "<do " name attribute* ">" argument* "</do>"
    | "<say " name ">" input "</say>"
attribute: " " key "=\"" value "\"" -> argument
argument: "<" key ">" value "</v>"
name: NAME
key: /[a-z]+/
value: RAW
input: RAW
"""

ELEMENTS = RULES.replace(" attribute*", "")
SHAPE = "types: shape\ntrim: value=strip"
ENTITIES = "entities: value input"


def render(grammar: str, calls: list[ToolCall]) -> str:
    return toolgrammar.formats.resolve(grammar).render(calls)


def tool(**types: str) -> list[dict[str, object]]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return [{"name": "f", "parameters": {"type": "object", "properties": properties}}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"q.txt"', "q.txt"),
        ("[1, 2]", [1, 2]),
        ("true", True),
        ("null", None),
        ("-1.5", -1.5),
        ("\n {} \n", {}),
        ("q.txt", "q.txt"),
        ('"a" and "b"', '"a" and "b"'),
        ("[1, 2", "[1, 2"),
        ("truth", "truth"),
        ("1e999", "1e999"),
        ("", ""),
    ],
)
def test_what_is_json_is_that_value(tmp_path: Path, text: str, value: Any) -> None:
    (call,) = read(save(tmp_path, SHAPE, ELEMENTS), f"<do f><a>{text}</v></do>").calls
    assert call.arguments == {"a": value}
    assert type(call.arguments["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a\\nb", 2]', ["a\nb", 2]),
        ('["a\nb", 2]', ["a\nb", 2]),
        ('{"a": "\tb\nc"}', {"a": "\tb\nc"}),
        # A string by itself is a text, and so is an object that has a key twice.
        ('"a\nb"', '"a\nb"'),
        ('{"a": "b\nc", "a": "d"}', '{"a": "b\nc", "a": "d"}'),
        ('["a\nb", NaN]', '["a\nb", NaN]'),
    ],
)
def test_strings_in_lists_and_objects_may_hold_line_ends(
    tmp_path: Path, text: str, value: Any
) -> None:
    grammar = save(tmp_path, SHAPE, ELEMENTS)
    (call,) = read(grammar, f"<do f><a>{text}</v></do>").calls
    assert call.arguments == {"a": value}


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ('{"price": 290.5,', ("bare-text",)),
        ('{"mode": "safe",\n "paths": ["/a"', ("bare-text",)),
        ('["a", "b"', ("bare-text",)),
        ('[{"a": 1}', ("bare-text",)),
        ('{"a": "x {"}', ()),
        ('["see [1"]', ()),
        ("[1, 2", ()),
        ('{"a": 1}`', ("bare-text",)),
        ('"yes"x', ("bare-text",)),
        ('"yes".', ()),
        ("[1]x2", ()),
        ('```json\n"a": 1}\n```', ("bare-text",)),
        ('{ "no" } {', ()),
    ],
)
def test_json_that_nothing_closes_is_a_doubt(
    tmp_path: Path, text: str, doubts: tuple[str, ...]
) -> None:
    grammar = save(tmp_path, SHAPE, ELEMENTS)
    (call,) = read(grammar, f"<do f><a>{text}</v></do>").calls
    assert call.doubts == doubts
    (call,) = read(grammar, f"<do f><a>{text}</v></do>", tool(a="string")).calls
    assert call.executable


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (r'"a\nb"<b>', False),
        (r'"a\nb"/do>', False),
        (r'"a\nb"', True),
        (r'"a\n".', True),
        (r'"a\n" b', True),
        ('"a"b', True),
        (r'a\n"b"c', True),
    ],
)
def test_a_string_with_escapes_ends_a_value(tmp_path: Path, text: str, *, runs: bool) -> None:
    grammar = save(tmp_path, SHAPE, ELEMENTS)
    (call,) = read(grammar, f"<do f><a>{text}</v></do>", tool(a="string")).calls
    assert call.executable is runs


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("5", "string", "5"),
        ("[1]", "string", "[1]"),
        ('"5"', "string", "5"),
        ('"5"', "integer", 5),
        ("five", "string", "five"),
    ],
)
def test_a_schema_is_asked_afterwards(tmp_path: Path, text: str, kind: str, value: Any) -> None:
    grammar = save(tmp_path, SHAPE, ELEMENTS)
    (call,) = read(grammar, f"<do f><a>{text}</v></do>", tool(a=kind)).calls
    assert call.arguments == {"a": value}


def test_a_value_streams_once_it_is_no_json(tmp_path: Path) -> None:
    parser = Parser(save(tmp_path, SHAPE, ELEMENTS))
    events = parser.feed("<do f><a>plain words")
    assert "plain" in "".join(e.json for e in events if isinstance(e, ArgumentsDelta))
    parser = Parser(save(tmp_path, SHAPE, ELEMENTS))
    assert not any(isinstance(e, ArgumentsDelta) for e in parser.feed('<do f><a>"quoted words'))


@pytest.mark.parametrize("value", ["5", "true", '"q"', "q", " q ", "[", [1], None, 2.5, {"a": "1"}])
def test_shaped_values_come_back_as_they_were_written(tmp_path: Path, value: Any) -> None:
    grammar = save(tmp_path, SHAPE, ELEMENTS)
    written = render(grammar, [ToolCall("f", {"a": value})])
    (call,) = read(grammar, written).calls
    assert (call.arguments, call.status) == ({"a": value}, "complete")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("&quot;&apos;", "\"'"),
        ("&#65;&#x1F6A2;&#xe9;", "A🚢é"),
        ("&amp;lt;", "&lt;"),
        (
            "a & b &c; &lt &#; &#xD800; &#0; &#x110000;",
            "a & b &c; &lt &#; &#xD800; &#0; &#x110000;",
        ),
        ("ends with &am", "ends with &am"),
        ("&&&lt;", "&&<"),
    ],
)
def test_entities_are_decoded_however_they_are_cut(
    tmp_path: Path, written: str, value: str
) -> None:
    grammar = save(tmp_path, ENTITIES, RULES)
    (call,) = read(grammar, f'<do f a="{written}"><b>{written}</v></do>').calls
    assert call.arguments == {"a": value, "b": value}
    (call,) = read(grammar, f"<say f>{written}</say>").calls
    assert call.input == value


def test_only_the_beginning_of_an_entity_is_held_back(tmp_path: Path) -> None:
    parser = Parser(save(tmp_path, ENTITIES, RULES))
    events = parser.feed("<say f>1 &l")
    assert "".join(e.text for e in events if isinstance(e, InputDelta)) == "1 "
    events = parser.feed("t; 2 & 3")
    assert "".join(e.text for e in events if isinstance(e, InputDelta)) == "< 2 & 3"


def test_other_roles_keep_their_entities(tmp_path: Path) -> None:
    (call,) = read(save(tmp_path, "entities: input", RULES), "<do f><b>&lt;</v></do>").calls
    assert call.arguments == {"b": "&lt;"}


@pytest.mark.parametrize("value", ['say "x" </v> <b> &lt; & done', "plain", "&#65;"])
def test_any_text_can_be_written_with_entities(tmp_path: Path, value: str) -> None:
    grammar = save(tmp_path, ENTITIES, RULES)
    written = render(grammar, [ToolCall("f", {"a": value, "b": value})])
    (call,) = read(grammar, written).calls
    assert (call.arguments, call.status) == ({"a": value, "b": value}, "complete")
    written = render(grammar, [ToolCall("f", {}, input=value)])
    assert [call.input for call in read(grammar, written).calls] == [value]


def test_an_unknown_role_has_no_entities(tmp_path: Path) -> None:
    with pytest.raises(toolgrammar.GrammarError, match="does not take `id`"):
        read(save(tmp_path, "entities: id", RULES), "")
