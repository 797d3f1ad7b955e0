from pathlib import Path

import pytest
from lark import Token, Transformer, Tree
from lark.exceptions import UnexpectedInput

from tests.laws.every_case import cases, each_format
from tests.units.core.held import check, format_in
from toolgrammar import (
    Format,
    RenderError,
    ToolCall,
    ToolCallTransformer,
    ToolSpec,
    formats,
    load_format,
    parse,
)
from toolgrammar.grammar.header import read_header
from toolgrammar.testing import Case
from toolgrammar.testing.depth import at_depth

ISLANDS = {
    "deepseek_v3": (
        """<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide
```json
{"port": "Emden"}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",  # noqa: RUF001 - spelled so on the wire
        [ToolCall("tide", {"port": "Emden"})],
    ),
    "hermes": (
        '<tool_call>\n{"name": "tide", "arguments": {"port": ["Emden", 1.5, null]}}\n</tool_call>',
        [ToolCall("tide", {"port": ["Emden", 1.5, None]})],
    ),
    "kimi_k2": (
        """<|tool_calls_section_begin|><|tool_call_begin|>functions.tide:0\
<|tool_call_argument_begin|>{"days": 2}<|tool_call_end|><|tool_calls_section_end|>""",
        [ToolCall("tide", {"days": 2}, id="functions.tide:0")],
    ),
    "llama4_pythonic": (
        "<|python_start|>[tide(port='Emden', days=[1, (2,)]), tide()]<|python_end|>",
        [ToolCall("tide", {"port": "Emden", "days": [1, [2]]}), ToolCall("tide", {})],
    ),
    "mistral_v11": (
        '[TOOL_CALLS]tide[ARGS]{"port": "Emden"}',
        [ToolCall("tide", {"port": "Emden"})],
    ),
    "qwen3_xml": (
        """<tool_call>
<function=tide>
<parameter=port>

Emden
</parameter>
</function>
</tool_call>""",
        [ToolCall("tide", {"port": "\nEmden"})],
    ),
    "reploid": (
        'TOOL_CALL: tide\nARGS: {"note": `two\n"lines"`}',
        [ToolCall("tide", {"note": 'two\n"lines"'})],
    ),
    "roo_multi": (
        """<sequential>
<read_file>
<path>a</path>
<toolId>one</toolId>
</read_file>
<read_file>
<path>b</path>
<toolId>two</toolId>
</read_file>
</sequential>""",
        [
            ToolCall("read_file", {"path": "a"}, id="one"),
            ToolCall("read_file", {"path": "b"}, id="two", depends_on=("one",)),
        ],
    ),
}

BROKEN = {
    "hermes": '<tool_call>\n{"name": "tide", "arguments": {"port": "Emden",}}\n</tool_call>',
    "kimi_k2": '<|tool_call_begin|>tide<|tool_call_argument_begin|>{"days": 2}<|tool_call_end|>',
    "llama4_pythonic": "<|python_start|>[tide(port='Emden', 5)]<|python_end|>",
    "mistral_v11": '[TOOL_CALLS]tide[ARGS]{"port": "Emden"',
    "qwen3_xml": "<tool_call>\n<function=tide>\n<parameter=port>\nEmden\n</function>\n</tool_call>",
    "roo_xml": "<read_file>\n<path>a</file>\n</read_file>",
}

CASES = at_depth(few=2, usual=24, every=None)
"""Cases a format, those of its page first; None for all of them."""
ONE_TERMINAL = {
    "reploid0.md::white-space-in-the-markup-on-one-line",
    "reploid0.md::quotes-and-markup-in-a-value-in-a-heredoc",
    "reploid0.md::types-by-shape",
    "yaml_fence.md::quotes-and-markup-in-a-value",
}
"""Cases of which Lark refuses a call: what ends a value depends there on how its key stands or how
far its lines stand in, and plain Lark has one terminal for the values of all keys."""


def read(format: Format, island: str, tools: tuple[ToolSpec, ...] | None = None) -> list[ToolCall]:
    """The calls of an island, by Lark and the transformer."""
    tree = format.tree(island, tools=tools)
    return ToolCallTransformer(tools=tools).transform(tree)


@pytest.mark.parametrize("format_id", ISLANDS)
def test_an_island_is_read(format_id: str) -> None:
    island, calls = ISLANDS[format_id]
    assert read(formats[format_id], island) == calls


@pytest.mark.parametrize("format_id", BROKEN)
def test_what_is_not_in_the_language_is_refused(format_id: str) -> None:
    with pytest.raises(UnexpectedInput):
        formats[format_id].tree(BROKEN[format_id])


def test_the_tree_has_the_grammars_names_and_payloads_as_single_tokens() -> None:
    island = ISLANDS["hermes"][0]
    tree = formats["hermes"].tree(island)
    (arguments,) = tree.find_data("arguments")
    (payload,) = arguments.children
    assert isinstance(payload, Token)
    assert tree.data == "call"
    assert payload.type == "JSON_VALUE"
    assert payload == '{"port": ["Emden", 1.5, null]}'
    assert island[payload.start_pos : payload.end_pos] == payload


def test_an_empty_value_is_an_empty_token() -> None:
    island = "<function=tide>\n<parameter=port>\n\n</parameter>\n</function>"
    assert read(formats["qwen3_xml"], island) == [ToolCall("tide", {"port": ""})]


def test_a_quoted_call_stays_in_its_value() -> None:
    quoted = "<function=tide>\n<parameter=port>\nEmden\n</parameter>\n</function>"
    island = f"<function=write>\n<parameter=text>\nas in\n{quoted}\nhere\n</parameter>\n</function>"
    assert read(formats["qwen3_xml"], island) == [
        ToolCall("write", {"text": f"as in\n{quoted}\nhere"})
    ]


def test_a_quoted_opener_that_nobody_closes_is_text() -> None:
    island = "🛠️[save tips.md]\nbegin with 🛠️[note] and go on\n🛠️[/end]"
    (call,) = read(formats["simple_agent_bracket"], island)
    assert call.input == "tips.md\nbegin with 🛠️[note] and go on"


def test_only_the_own_closer_ends_a_value() -> None:
    island = "<search_files><path>web</path><regex><li>.*</li></regex></search_files>"
    (call,) = read(formats["roo_xml"], island)
    assert call.arguments == {"path": "web", "regex": "<li>.*</li>"}


def test_deep_and_long_payloads_are_read() -> None:
    deep = '{"a": ' * 150 + "1" + "}" * 150
    (call,) = read(formats["mistral_v11"], f"[TOOL_CALLS]tide[ARGS]{deep}")
    assert call.raw_arguments == deep
    long = '{"a": [' + ", ".join(['"x y"'] * 3000) + "]}"
    (call,) = read(formats["mistral_v11"], f"[TOOL_CALLS]tide[ARGS]{long}")
    assert len(call.arguments["a"]) == 3000


def test_a_transformer_is_larks_and_may_be_subclassed() -> None:
    class Counting(ToolCallTransformer):
        def name(self, children: list[Token]) -> str:
            names.append(super().name(children))
            return names[-1]

    names: list[str] = []
    island, calls = ISLANDS["llama4_pythonic"]
    transformer = Counting()
    assert isinstance(transformer, Transformer)
    assert transformer.transform(formats["llama4_pythonic"].tree(island)) == calls
    assert names == ["tide", "tide"]


def test_a_tree_that_was_copied_needs_the_format() -> None:
    island, calls = ISLANDS["qwen3_xml"]
    format = formats["qwen3_xml"]
    tree = format.tree(island)
    copied = Tree(tree.data, tree.children)
    assert ToolCallTransformer(format).transform(copied) == calls
    with pytest.raises(ValueError, match="format"):
        ToolCallTransformer().transform(copied)


def test_a_changed_grammar_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    text = (
        "//@ id: mine\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | call)*\ncall: "@call " name arguments "@"\nname: /\\w+/\n'
        "arguments: JSON_OBJECT\n"
    )
    path.write_text(text)
    assert read(load_format(path), '@call tide {"a": 1}@') == [ToolCall("tide", {"a": 1})]
    path.write_text(text.replace("@call", "#call"))
    with pytest.raises(UnexpectedInput):
        load_format(path).tree('@call tide {"a": 1}@')


@each_format
def test_lark_and_the_driver_read_the_same(format_id: str) -> None:
    chosen = formats[format_id]
    carried = set(read_header(chosen.path).carry)
    compared = 0
    sound = [case for case in cases(format_id) if case.tier == "well_formed"]
    for case in sound[:CASES]:
        for island, calls, alone in islands(chosen, case):
            try:
                found = read(chosen, island, case.tools)
            except UnexpectedInput:
                # Several calls are one island only where the format has sections; and at the end
                # of the text a stop string stands in for the closer.
                refused = not alone or is_stopped(chosen, case.text, island)
                assert refused or case.id.rpartition("/")[2] in ONE_TERMINAL, (case.id, island)
                continue
            compared += 1
            # What a call waits for, an id made for it, and what an earlier call said, come from
            # its section.
            seen = own if alone else every
            assert seen(found, carried) == seen(calls, carried), (case.id, island)
    assert compared


def is_stopped(format: Format, text: str, island: str) -> bool:
    """Whether after a call at most the beginning of a stop string stands."""
    _, found, rest = text.rpartition(island.rstrip())
    return bool(found) and any(stop.startswith(rest.strip()) for stop in format.stop)


def islands(format: Format, case: Case) -> list[tuple[str, list[ToolCall], bool]]:
    """Call sections of a case and their calls; and whether each is certainly one section.

    A call is cut out as it stands; the whole text, and all its calls rendered, are one section only
    where the format has sections. Calls that are rendered one by one are what the law of the strict
    oracle reads.
    """
    result = parse(case.text, format=format, tools=case.tools, prefix=case.prefix)
    found = [(case.text.strip(), list(result.calls), False)]
    found += [
        (result.source[call.span.start : call.span.end], [call], True)
        for call in result.calls
        if call.status == "complete"
    ]
    try:
        wire = format.render(result.calls)
    except RenderError:
        pass
    else:
        again = parse(wire, format=format, tools=case.tools).calls
        found.append((wire, list(again), len(result.calls) == 1))
    return [row for row in found if row[1]]


def every(calls: list[ToolCall], _carried: set[str]) -> str:
    """Calls, written out so that `1`, `1.0` and `True` differ."""
    return repr([(c.name, c.arguments, c.id, c.input, c.depends_on) for c in calls])


def own(calls: list[ToolCall], carried: set[str]) -> str:
    """The same without what a section adds."""
    return repr(
        [
            (c.name, {k: v for k, v in c.arguments.items() if k not in carried}, c.input)
            for c in calls
        ]
    )


def test_a_part_of_the_message_that_holds_a_group_has_a_tree(tmp_path: Path) -> None:
    grammar = (
        "//@ id: turns\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | _turn)*\n_turn: "<turn>" (calls | call) "</turn>"\n'
        'calls: "<all>" call+ "</all>"\ncall: "<call " name ">" arguments "</call>"\n'
        "name: /\\w+/\narguments: JSON_OBJECT\n"
    )
    chosen = format_in(tmp_path, grammar)
    call = {"name": "f", "arguments": {"a": 1}}
    for text, count in (
        ('<turn><all><call f>{"a": 1}</call><call f>{"a": 1}</call></all></turn>', 2),
        ('<turn><call f>{"a": 1}</call></turn>', 1),
    ):
        assert [each.name for each in ToolCallTransformer().transform(chosen.tree(text))] == (
            ["f"] * count
        )
        check(chosen, text, {"calls": [call] * count, "status": ["complete"] * count})
