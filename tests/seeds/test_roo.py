"""Statements R1 to R78: single tools and blocks of several. test_malformed.py has the rest."""
# ruff: noqa: N802 - a test bears the number of its statement

from typing import Any

import pytest

import toolgrammar
from tests.seeds.checking import call, check, check_kept, tool
from toolgrammar import CallEnd, CallStart, Parser

ONE = "roo_xml"
MANY = "roo_multi"
TOOLS = [
    tool("read_file", ["path"], path="string", start_line="integer", end_line="integer"),
    tool("write_to_file", ["path"], path="string", content="string", line_count="integer"),
    tool("execute_command", ["command"], command="string", requires_approval="boolean"),
    tool("search_files", ["path", "regex"], path="string", regex="string"),
    tool("apply_diff", ["path", "diff"], path="string", diff="string"),
    tool("list_modes"),
    tool("use_mcp_tool", ["tool_name"], tool_name="string", arguments="object", ratios="array",
         rate="number"),
]  # fmt: skip
MARKUP = r"(?i)</?(?:multi_tool_use|parallel|sequential)[^>]*>"


def read_file(path: str, id: str | None = None, needs: str | None = None) -> str:
    """Returns one tool on the wire, with id and dependency where given."""
    parts = [f"<path>{path}</path>"]
    if id is not None:
        parts.append(f"<toolId>{id}</toolId>")
    if needs is not None:
        parts.append(f"<dependsOn>{needs}</dependsOn>")
    return f"<read_file>{''.join(parts)}</read_file>"


def block(mode: str, *items: str) -> str:
    """Returns a block of tools on the wire."""
    return f'<multi_tool_use mode="{mode}">\n' + "\n".join(items) + "\n</multi_tool_use>"


def reads(path: str, **asserted: Any) -> dict[str, object]:
    """Returns the expected call of `read_file`."""
    return call("read_file", {"path": path}, **asserted)


def write(content: str, tail: str = "") -> str:
    """Returns a file to be written, on the wire."""
    return f"<write_to_file><path>f</path><content>{content}</content>{tail}</write_to_file>"


def writes(content: str, **asserted: Any) -> dict[str, object]:
    """Returns the expected call of `write`."""
    return call("write_to_file", {"path": "f", "content": content}, **asserted)


# ----------------------------------------------------------------------- single tools


def test_R1_a_tool_with_parameters() -> None:
    text = "<read_file>\n<path>src/main.js</path>\n</read_file>"
    check(ONE, text, [reads("src/main.js")], "", TOOLS, ["complete"])
    check(ONE, text, [reads("src/main.js")], "", None, ["complete"])


def test_R2_text_before_and_after() -> None:
    text = f"Here:\n{read_file('a')}\nDone."
    check(ONE, text, [reads("a")], None, TOOLS)
    found = toolgrammar.parse(text, format=ONE, tools=TOOLS).text
    assert found.startswith("Here:")
    assert found.endswith("Done.")


def test_R3_the_tag_in_the_middle_of_a_line() -> None:
    check(ONE, f"Now {read_file('a')}", [reads("a")], "Now", TOOLS)


@pytest.mark.parametrize("between", ["", "\n", "Second: "])
def test_R4_several_tools(between: str) -> None:
    text = f"{read_file('a')}{between}{read_file('b')}"
    check(ONE, text, [reads("a"), reads("b")], between.strip(), TOOLS)


def test_R5_values_are_trimmed() -> None:
    check(ONE, read_file("  a.ts  "), [reads("a.ts")], "", TOOLS)
    check(ONE, read_file("\n  a.ts\n"), [reads("a.ts")], "", TOOLS)


@pytest.mark.parametrize(
    ("wire", "value"),
    [
        ("\n  a\n\n", "  a\n"),
        ("  a  ", "  a  "),
        ("\n\n\nx", "\n\nx"),
        ("\n    one\n\n    two\n", "    one\n\n    two"),
        ("\n", ""),
        ("", ""),
    ],
)
def test_R6_content_is_not_trimmed(wire: str, value: str) -> None:
    check(ONE, write(wire), [writes(value)], "", TOOLS)


@pytest.mark.parametrize("inside", ["", "\n"])
def test_R7_no_parameters(inside: str) -> None:
    check(ONE, f"<list_modes>{inside}</list_modes>", [call("list_modes")], "", TOOLS)


def test_R8_an_empty_value() -> None:
    check(ONE, read_file(""), [reads("")], "", TOOLS, ["complete"])


@pytest.mark.parametrize(
    "text", ["<not_a_tool>x</not_a_tool>", "<list_tools><path>a</path></list_tools>"]
)
def test_R9_an_unknown_element_is_text(text: str) -> None:
    check(ONE, f"So {text}", [], f"So {text}", TOOLS)


@pytest.mark.parametrize("bogus", ["<bogus>1</bogus>"])
@pytest.mark.parametrize("place", ["first", "last"])
def test_R10_unknown_children_are_ignored(bogus: str, place: str) -> None:
    path = "<path>a</path>"
    inside = bogus + path if place == "first" else path + bogus
    check(ONE, f"<read_file>{inside}</read_file>", [reads("a")], None, TOOLS)


def test_R11_markup_in_a_value() -> None:
    text = "<search_files><regex><div>.*</div></regex><path>s</path></search_files>"
    check(ONE, text, [call("search_files", {"regex": "<div>.*</div>", "path": "s"})], "", TOOLS)


def test_R12_a_tool_in_a_value() -> None:
    inside = "<read_file><path>x</path></read_file>"
    check(ONE, write(f"\n{inside}\n"), [writes(inside)], "", TOOLS)


def test_R13_the_closer_of_a_value_in_it() -> None:
    inside = "f() {\n// </content> here\n}"
    check(ONE, write(f"\n{inside}\n"), [writes(inside)], "", TOOLS)


def test_R14_a_parameter_in_a_value() -> None:
    inside = "<path>z</path>"
    check(ONE, write(f"\n{inside}\n"), [writes(inside)], "", TOOLS)


def test_R15_entities_stay() -> None:
    text = "<execute_command><command>a &amp;&amp; b</command></execute_command>"
    check(ONE, text, [call("execute_command", {"command": "a &amp;&amp; b"})], "", TOOLS)


def test_R16_signs_need_no_escape() -> None:
    value = "a < b && c > d \"e\" 'f' & g << h </i"
    text = f"<execute_command><command>{value}</command></execute_command>"
    check(ONE, text, [call("execute_command", {"command": value})], "", TOOLS)


def test_R17_crlf() -> None:
    text = "Ok\r\n<read_file>\r\n<path>a</path>\r\n</read_file>\r\n"
    check(ONE, text, [reads("a")], "Ok", TOOLS)
    check(ONE, write("\r\na\r\nb\r\n"), [writes("a\r\nb")], "", TOOLS)


def test_R18_the_last_of_a_parameter_wins() -> None:
    text = "<read_file><path>a</path><path>b</path></read_file>"
    check(ONE, text, [reads("b")], "", TOOLS)


def test_R19_cut_in_a_value() -> None:
    text = "<read_file>\n<path>src/main.js"
    check(ONE, text, [reads("src/main.js")], "", TOOLS, ["truncated"])


@pytest.mark.parametrize("tail", ["", "\n", "</read_fi"])
def test_R20_cut_before_the_closing_tag(tail: str) -> None:
    text = f"<read_file><path>a</path>{tail}"
    check(ONE, text, [reads("a")], "", TOOLS, ["truncated"])


def test_R21_cut_after_the_opening_tag() -> None:
    check(ONE, "Wait.\n<read_file>", [call("read_file")], "Wait.", TOOLS, ["truncated"])
    check(ONE, "<read_file>\n", [call("read_file")], "", TOOLS, ["truncated"])


@pytest.mark.parametrize("text", ["The <read_file> tag.", "Use <read_file>, then <list_modes>."])
def test_R21_a_tag_in_prose_is_text(text: str) -> None:
    check(ONE, text, [], text, TOOLS)


def test_R22_cut_in_a_tag() -> None:
    check(ONE, "Hello <read_fi", [], None, TOOLS)


def test_R24_a_closing_tag_alone_is_text() -> None:
    check(ONE, "</read_file> hi", [], "</read_file> hi", TOOLS)


@pytest.mark.parametrize("tag", ["Read_File", "read_file ", " read_file"])
def test_R25_tags_that_are_not_exact_lose_nothing(tag: str) -> None:
    check_kept(ONE, f"<{tag}><path>a</path></{tag}>", TOOLS)


@pytest.mark.parametrize(
    ("name", "key", "wire", "value"),
    [
        ("read_file", "start_line", "10", 10),
        ("read_file", "start_line", " -3 ", -3),
        ("execute_command", "requires_approval", "true", True),
        ("execute_command", "requires_approval", " FALSE ", False),
        ("use_mcp_tool", "rate", "2.5", 2.5),
        ("use_mcp_tool", "ratios", "[1, 2.5]", [1, 2.5]),
        ("use_mcp_tool", "arguments", '{"a": {"b": null}}', {"a": {"b": None}}),
    ],
)
def test_R26_types_by_the_schema(name: str, key: str, wire: str, value: object) -> None:
    text = f"<{name}><{key}>{wire}</{key}></{name}>"
    check(ONE, text, [call(name, {key: value})], "", TOOLS, ["complete"])


def test_R26_values_stay_text_without_tools() -> None:
    text = "<read_file><start_line>10</start_line></read_file>"
    check(ONE, text, [call("read_file", {"start_line": "10"})], "")


def test_R27_json_in_a_parameter() -> None:
    text = (
        "<use_mcp_tool>\n<tool_name>t</tool_name>\n"
        '<arguments>\n{"q": "x"}\n</arguments>\n</use_mcp_tool>'
    )
    expected = call("use_mcp_tool", {"tool_name": "t", "arguments": {"q": "x"}})
    check(ONE, text, [expected], "", TOOLS)


@pytest.mark.parametrize("text", ["", "Only text."])
def test_R28_no_tools(text: str) -> None:
    check(ONE, text, [], text, TOOLS)


@pytest.mark.parametrize("text", ["If a < b then List<int>.", "x<y>z", "Map<String, List<path>>"])
def test_R29_comparisons_and_generics_are_text(text: str) -> None:
    check(ONE, text, [], text, TOOLS)


def test_R30_thinking_before_a_tool() -> None:
    text = f"<thinking>I should read_file now</thinking>\n{read_file('a')}"
    check(ONE, text, [reads("a")], None, TOOLS)


def test_R31_a_diff() -> None:
    diff = "<<<<<<< SEARCH\n:start_line:1\n-------\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"
    text = f"<apply_diff>\n<path>a</path>\n<diff>\n{diff}\n</diff>\n</apply_diff>"
    check(ONE, text, [call("apply_diff", {"path": "a", "diff": diff})], "", TOOLS)


# ------------------------------------------------------------------ blocks of several


def test_R40_parallel() -> None:
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=[])]
    text = block("parallel", read_file("a", "a"), read_file("b", "b"))
    check(MANY, text, calls, "", TOOLS, ["complete"] * 2)


def test_R41_sequential_with_a_dependency() -> None:
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    text = block("sequential", read_file("a", "a"), read_file("b", "b", "a"))
    check(MANY, text, calls, "", TOOLS)


def test_R42_each_depends_on_the_one_before() -> None:
    calls = [
        reads("a", id="a", depends_on=[]),
        reads("b", id="b", depends_on=["a"]),
        reads("c", id="c", depends_on=["b"]),
    ]
    text = block("sequential", read_file("a", "a"), read_file("b", "b"), read_file("c", "c"))
    check(MANY, text, calls, "", TOOLS)


def test_R43_an_explicit_dependency_wins() -> None:
    calls = [
        reads("a", id="a", depends_on=[]),
        reads("b", id="b", depends_on=["a"]),
        reads("c", id="c", depends_on=["a"]),
    ]
    text = block("sequential", read_file("a", "a"), read_file("b", "b"), read_file("c", "c", "a"))
    check(MANY, text, calls, "", TOOLS)


def test_R44_ids_are_generated() -> None:
    text = block("parallel", read_file("a"), read_file("a"))
    check(MANY, text, [reads("a", depends_on=[])] * 2, "", TOOLS)
    ids = [found.id for found in toolgrammar.parse(text, format=MANY, tools=TOOLS).calls]
    again = [found.id for found in toolgrammar.parse(text, format=MANY, tools=TOOLS).calls]
    other = toolgrammar.parse(text, format=MANY, tools=TOOLS, id_seed="turn 2").calls
    assert all(ids)
    assert len(set(ids)) == 2
    assert ids == again
    assert not {found.id for found in other} & set(ids)


def test_R44_a_chain_of_generated_ids() -> None:
    text = block("sequential", read_file("a"), read_file("b"))
    first, second = toolgrammar.parse(text, format=MANY, tools=TOOLS).calls
    assert first.id is not None
    assert second.depends_on == (first.id,)


def test_R45_older_blocks() -> None:
    inside = "\n".join([read_file("a", "a"), read_file("b", "b")])
    free = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=[])]
    check(MANY, f"<parallel>\n{inside}\n</parallel>", free, "", TOOLS)
    chain = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    check(MANY, f"<sequential>\n{inside}\n</sequential>", chain, "", TOOLS)


@pytest.mark.parametrize(
    "tag",
    [
        "multi_tool_use mode='sequential'",
        "multi_tool_use mode = 'sequential' ",
        'multi_tool_use  mode="SEQUENTIAL"',
        'Multi_Tool_Use mode="Sequential"',
    ],
)
def test_R46_how_the_mode_is_written(tag: str) -> None:
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    text = f"<{tag}>{read_file('a', 'a')}{read_file('b', 'b')}</multi_tool_use>"
    check(MANY, text, calls, "", TOOLS)


def test_R47_the_first_keeps_an_id() -> None:
    text = block("parallel", read_file("a", "x"), read_file("b", "x"), read_file("c", "y", "x"))
    calls = [
        reads("a", id="x", depends_on=[]),
        reads("b", depends_on=[]),
        reads("c", id="y", depends_on=["x"]),
    ]
    check(MANY, text, calls, "", TOOLS)
    second = toolgrammar.parse(text, format=MANY, tools=TOOLS).calls[1]
    assert second.id not in {None, "x", "y"}


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
@pytest.mark.parametrize("needs", ["ghost", "b"], ids=["R48", "R49"])
def test_R48_R49_a_dependency_on_nobody_or_itself_is_removed(mode: str, needs: str) -> None:
    text = block(mode, read_file("a", "a"), read_file("b", "b", needs))
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=[])]
    check(MANY, text, calls, "", TOOLS)


def test_R50_a_cycle_of_two() -> None:
    text = block("parallel", read_file("a", "a", "b"), read_file("b", "b", "a"))
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    check(MANY, text, calls, "", TOOLS)


def test_R50_the_chain_closes_a_cycle() -> None:
    text = block("sequential", read_file("a", "a", "b"), read_file("b", "b"))
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    check(MANY, text, calls, "", TOOLS)


def test_R51_a_cycle_of_three() -> None:
    items = [read_file("a", "a", "c"), read_file("b", "b", "a"), read_file("c", "c", "b")]
    calls = [
        reads("a", id="a", depends_on=[]),
        reads("b", id="b", depends_on=["a"]),
        reads("c", id="c", depends_on=["b"]),
    ]
    check(MANY, block("parallel", *items), calls, "", TOOLS)


def test_R52_a_forward_reference_stays() -> None:
    text = block("parallel", read_file("a", "a", "b"), read_file("b", "b"))
    calls = [reads("a", id="a", depends_on=["b"]), reads("b", id="b", depends_on=[])]
    check(MANY, text, calls, "", TOOLS)


@pytest.mark.parametrize("key", ["toolId", "dependsOn"])
def test_R53_ids_in_a_value_are_text(key: str) -> None:
    inside = f"<{key}>evil</{key}>"
    text = block("parallel", write(f"\n{inside}\n", "<toolId>w1</toolId>"))
    check(MANY, text, [writes(inside, id="w1", depends_on=[])], "", TOOLS)


def test_R54_ids_are_trimmed() -> None:
    text = block("parallel", read_file("a", " a "), read_file("b", "b", "\n a "))
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=["a"])]
    check(MANY, text, calls, "", TOOLS)


def test_R54_an_empty_id_counts_as_absent() -> None:
    text = block("sequential", read_file("a", "a"), read_file("b", " ", ""))
    check(MANY, text, [reads("a", id="a"), reads("b", depends_on=["a"])], "", TOOLS)
    assert (toolgrammar.parse(text, format=MANY, tools=TOOLS).calls[1].id or "").strip()


@pytest.mark.parametrize(
    "inside", ["<toolId>a</toolId><path>p</path>", "<path>p</path><toolId>a</toolId>"]
)
def test_R55_the_order_of_ids_does_not_matter(inside: str) -> None:
    text = block("parallel", f"<read_file>{inside}</read_file>")
    check(MANY, text, [reads("p", id="a", depends_on=[])], "", TOOLS)


def test_R56_text_around_a_block() -> None:
    text = f"Before.\n{block('parallel', '', read_file('a', 'a'), '')}"
    check(MANY, text, [reads("a", id="a")], "Before.", TOOLS)
    check(MANY, f"{block('parallel', read_file('a', 'a'))}\nAfter.", [reads("a")], "After.", TOOLS)


def test_R57_unknown_elements_in_a_block_are_skipped() -> None:
    text = block(
        "parallel", read_file("a", "a"), "<bogus><path>z</path></bogus>", read_file("b", "b")
    )
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=[])]
    check(MANY, text, calls, None, TOOLS)


@pytest.mark.parametrize("inside", ["", "\n"])
def test_R58_an_empty_block(inside: str) -> None:
    check(MANY, f'<multi_tool_use mode="parallel">{inside}</multi_tool_use>', [], None, TOOLS)


def test_R59_one_tool_in_a_block() -> None:
    text = block("sequential", read_file("a", "only"))
    check(MANY, text, [reads("a", id="only", depends_on=[])], "", TOOLS)


@pytest.mark.parametrize("attribute", ["", ' mode="conditional"'])
def test_R60_no_or_unknown_mode(attribute: str) -> None:
    inside = read_file("a", "a") + read_file("b", "b")
    calls = [reads("a", id="a", depends_on=[]), reads("b", id="b", depends_on=[])]
    check(MANY, f"<multi_tool_use{attribute}>\n{inside}\n</multi_tool_use>", calls, None, TOOLS)


def test_R61_an_open_block() -> None:
    text = f'<multi_tool_use mode="parallel">\n{read_file("a", "a")}\n<read_file><path>b/c'
    calls = [reads("a", id="a", depends_on=[]), reads("b/c")]
    check(MANY, text, calls, "", TOOLS, ["complete", "truncated"])
    whole = f'<multi_tool_use mode="parallel">\n{read_file("a", "a")}\n'
    check(MANY, whole, [reads("a", id="a", depends_on=[])], "", TOOLS, ["complete"])


def test_R62_single_tools() -> None:
    text = f"One:\n{read_file('a', 'solo')}"
    check(MANY, text, [reads("a", id="solo")], "One:", TOOLS)
    check(MANY, f"One:\n{read_file('a')}", [reads("a")], "One:", TOOLS)


@pytest.mark.parametrize(
    ("wire", "value"),
    [
        ("\n  y = 1\n", "  y = 1"),
        ("\n// </content> here\n", "// </content> here"),
        ("\n<read_file><path>x</path></read_file>\n", "<read_file><path>x</path></read_file>"),
        ("a &lt; b < c", "a &lt; b < c"),
        ("\r\na\r\nb\r\n", "a\r\nb"),
    ],
    ids=["R6", "R13", "R12", "R15-R16", "R17"],
)
def test_R63_parameter_rules_hold_in_blocks(wire: str, value: str) -> None:
    text = block("parallel", write(wire, "<toolId>w</toolId>"))
    check(MANY, text, [writes(value, id="w", depends_on=[])], "", TOOLS)


def test_R64_the_json_variant_loses_nothing() -> None:
    tools = '{"name": "read_file", "params": {"path": "a"}, "toolId": "x"}'
    text = f'```json\n{{"execution": {{"mode": "parallel", "tools": [{tools}]}}}}\n```'
    check_kept(MANY, text, TOOLS, MARKUP)


def test_R70_all_blocks_are_read() -> None:
    first = block("sequential", read_file("a", "a"), read_file("b", "b"))
    second = block("sequential", read_file("c", "c"), read_file("d", "d"))
    calls = [
        reads("a", id="a", depends_on=[]),
        reads("b", id="b", depends_on=["a"]),
        reads("c", id="c", depends_on=[]),
        reads("d", id="d", depends_on=["c"]),
    ]
    check(MANY, f"{first}\nthen\n{second}", calls, "then", TOOLS)


def test_R71_single_tools_beside_a_block() -> None:
    text = (
        f"{read_file('s', 's')}\n{block('sequential', read_file('a', 'a'))}\n{read_file('t', 't')}"
    )
    calls = [
        reads("s", id="s"),
        reads("a", id="a", depends_on=[]),
        reads("t", id="t"),
    ]
    check(MANY, text, calls, "", TOOLS)


def test_R72_a_block_in_a_value_is_text() -> None:
    inside = f"<parallel>\n{read_file('q', 'q')}\n</parallel>"
    check(MANY, write(f"\n{inside}\n"), [writes(inside)], "", TOOLS)


def test_R73_the_id_in_a_value_does_not_count() -> None:
    inside = "<toolId>evil</toolId>"
    text = block("parallel", write(inside, "<toolId>good</toolId>"))
    check(MANY, text, [writes(inside, id="good")], "", TOOLS)


def test_R74_no_cycle_is_left() -> None:
    names = "abcdef"
    items = [read_file(name, name, names[at - 2]) for at, name in enumerate(names)]
    calls = toolgrammar.parse(block("parallel", *items), format=MANY, tools=TOOLS).calls
    done: set[str | None] = set()
    for _ in calls:
        done |= {found.id for found in calls if set(found.depends_on) <= done}
    assert done == set(names)


def test_R75_a_parameter_tag_in_content_is_content() -> None:
    inside = "<path>in html</path>"
    tool_text = f"<write_to_file><content>\n{inside}\n</content><path>f</path></write_to_file>"
    check(MANY, block("parallel", tool_text), [writes(inside)], "", TOOLS)


def test_R77_a_partial_value_is_kept() -> None:
    check(ONE, write("\nhalf a li")[: -len("</content></write_to_file>")],
          [writes("half a li")], "", TOOLS, ["truncated"])  # fmt: skip


@pytest.mark.parametrize("form", [ONE, MANY])
def test_R78_the_closer_of_the_tool_in_content_loses_nothing(form: str) -> None:
    check_kept(form, write("\nuse </write_to_file> here\n") + "\nafter", TOOLS, MARKUP)


# ------------------------------------------------------------------- what streams give


@pytest.mark.parametrize("form", [ONE, MANY])
def test_R21_a_stream_starts_a_call_at_its_first_child(form: str) -> None:
    parser = Parser(format=form, tools=TOOLS)
    assert not any(isinstance(event, CallStart) for event in parser.feed("<read_file>\n"))
    assert any(isinstance(event, CallStart) for event in parser.feed("<path>a"))
    assert any(isinstance(event, CallEnd) for event in parser.feed("</path></read_file>"))
