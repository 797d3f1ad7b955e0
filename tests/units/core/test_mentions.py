"""Calls that a message speaks of, in prose, in quotes or in what the model thinks, do not run."""
# ruff: noqa: RUF001 - some formats have full-width bars

import pytest

from tests.units.core.cuts import read


@pytest.mark.parametrize(
    "text",
    [
        "Wrap it in <execute_bash>. Then run it.",
        'Use the "<execute_bash>" tag.',
        "It ends with (<finish>)",
    ],
)
def test_a_tag_in_a_sentence_is_text(text: str) -> None:
    result = read("codeact", text)
    assert (result.calls, result.text, result.ok) == ((), text, True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<execute_bash> echo 1 < 2 ", "echo 1 < 2"),
        ("Now: <execute_bash> ls </execute_bash>", "ls"),
        ("Now: <execute_bash>\nls\n</execute_bash>", "ls"),
        ("Now: <execute_bash>./run.sh\ndate", "./run.sh\ndate"),
        ("Now: <execute_bash> wc -l <file.txt </execute_bash>", "wc -l <file.txt"),
        (
            "Now: <execute_bash>. venv/bin/activate && ls</execute_bash>",
            ". venv/bin/activate && ls",
        ),
        ("Now: <execute_bash> cd a\nls\n</execute_bash>", "cd a\nls"),
        ("Now: <execute_bash> ls -la", "ls -la"),
    ],
)
def test_a_tag_with_code_behind_it_is_a_call(text: str, code: str) -> None:
    (call,) = read("codeact", text).calls
    assert (call.name, call.input, call.status) == ("execute_bash", code, "complete")


@pytest.mark.parametrize("form", ["roo_xml", "roo_multi"])
def test_a_tool_that_is_named_while_thinking_is_no_call(form: str) -> None:
    thought = "<read_file><path>a</path></read_file>"
    result = read(form, f"<thinking>{thought}</thinking>ok")
    assert (result.calls, result.reasoning, result.text) == ((), thought, "ok")
    result = read(
        form, f"<thinking>{thought}</thinking>\n<read_file>\n<path>b</path>\n</read_file>"
    )
    assert [call.arguments for call in result.calls] == [{"path": "b"}]


BLOCKS = "```yaml\naction: bash\ncommand: ls\n{}\ntext\n```yaml\naction: now\n```"


@pytest.mark.parametrize("closer", ["```", "````", "``"])
def test_a_fence_of_another_length_closes_a_call(closer: str) -> None:
    result = read("yaml_fence", BLOCKS.format(closer))
    found = [(call.name, call.arguments, call.executable) for call in result.calls]
    assert found == [("bash", {"command": "ls"}, True), ("now", {}, True)]
    assert (result.text, result.ok) == ("text", True)


@pytest.mark.parametrize("closer", ["", "`", "'''"])
def test_the_next_block_is_no_part_of_a_call_that_lacks_its_closer(closer: str) -> None:
    result = read("yaml_fence", BLOCKS.format(closer))
    found = [(call.name, call.executable) for call in result.calls]
    assert found == [("bash", False), ("now", False)]
    # The second may be quoted in the first, whose closer is missing.
    first, second = (call.doubts for call in result.calls)
    assert (first, second) == (("misspelt", "missing-close-tag"), ("quoted-call",))
    assert [(each.code, each.severity) for each in result.diagnostics] == [
        ("misspelt", "error"),
        ("missing-close-tag", "error"),
        ("quoted-call", "error"),
    ]


def test_a_closer_that_is_put_in_stands_in_a_line_of_its_own() -> None:
    text = BLOCKS.replace("{}\ntext\n", "")
    result = read("yaml_fence", text)
    assert [call.doubts for call in result.calls] == [("missing-close-tag",), ("quoted-call",)]
    ((edit,),) = [each.edits for each in result.diagnostics if each.edits]
    mended = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    assert read("yaml_fence", mended).calls == result.calls
    assert read("yaml_fence", mended).diagnostics == ()


SECTION = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
)


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{SECTION}\n```",
        f"So:\n```xml\nfirst\n{SECTION}\n```\nand so on",
        f'say "{SECTION}" so',
        f"say `{SECTION}`",
        f"('{SECTION}')",
    ],
)
def test_a_section_in_a_fence_or_in_quotes_is_text(text: str) -> None:
    result = read("deepseek_v4", text)
    assert (result.calls, result.text, result.ok) == ((), text, True)


@pytest.mark.parametrize(
    "before",
    [
        'He said "hello"',
        "```python\nx\n```\n\n",
        "```md\n```py\nx\n```\n```\n",
        'Use "<｜DSML｜" ',
        '"',
    ],
)
def test_a_section_behind_a_fence_or_a_quote_is_read(before: str) -> None:
    result = read("deepseek_v4", before + SECTION)
    assert [(call.name, call.executable) for call in result.calls] == [("now", True)]
    assert result.text == before.strip()


@pytest.mark.parametrize(
    ("form", "opener", "wire"),
    [
        ("roo_xml", "<thinking>", "<read_file><path>x</path></read_file>"),
        ("hermes", "<think>", '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'),
    ],
)
def test_a_call_in_reasoning_that_never_closes_is_told_of(
    form: str, opener: str, wire: str
) -> None:
    result = read(form, f"{opener}I will\n{wire}")
    assert (result.calls, result.reasoning) == ((), f"I will\n{wire}")
    assert [each.code for each in result.diagnostics] == ["unread-call"]
    assert read(form, f"{opener}I will").diagnostics == ()


def test_a_call_in_a_fence_that_never_closes_is_told_of() -> None:
    text = f"```bash\nls\n{SECTION}"
    result = read("deepseek_v4", text)
    assert (result.calls, result.text) == ((), text)
    assert [each.code for each in result.diagnostics] == ["unread-call"]
