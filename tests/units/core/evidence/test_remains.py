"""What damage leaves of a call in text is told of as a lost call; what texts have besides is not."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read

_OBJECT = '{"name": "tide", "arguments": {"place": "Narvik"}}'


def check(format_id: str, text: str, *, is_lost: bool) -> None:
    """Compares whether a message without calls has an error that says that one was lost."""
    # In a short list, the marks of each format are looked for as in the format alone.
    for wanted in (format_id, [format_id], [format_id, "hermes"]):
        result = read(wanted, text)
        found = [each.code for each in result.diagnostics if each.severity == "error"]
        assert (result.calls, found) == ((), ["unread-call"] if is_lost else []), wanted


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        # Labels.
        ("react", "Action: search\nActoin Input: rain in Kaunas"),
        ("reploid", 'TOOL_CALL: read\nAGRS: {"path": "a.txt"}'),
        ("reploid0", "TOL: read\npath: /a.txt"),
        ("ts_call", 'Now functoins.find({near: "Oslo"})'),
        ("ts_call", f'functoins.save({{text: "{400 * "a"}"}})'),
        ("smolagents_json", f"Action:\nn:\n{_OBJECT}"),
        # Keys of an object.
        ("fenced_json", "```json\n" + _OBJECT.replace("arguments", "argumnets") + "\n```"),
        ("openwebui_json", '{"nmae": "tide", "parameters": {}}'),
        ("xlam", "[" + _OBJECT.replace('"name": ', '"name:" ') + "]"),
        # Fences.
        ("yaml_fence", "```yamyaml\naction: list_notes\n```"),
        ("bash_fence", "``bash\nls\n```"),
        ("bash_fence", "```bahs\nls\n```"),
        ("open_interpreter", "x```python\nprint(1)\n```"),
        ("continue_tool", "```tool\nTOL_NAME: ls\n```"),
        ("yaml_fence", "```yaml\nactoin: list_notes\n```"),
        ("aider_udiff", "```diff\n--- a/x.py\n++ b/x.py\n@@ @@\n-a\n+b\n```"),
        # Tags, and closers of what nothing opens.
        ("functiongemma", "Hi <start_fu~~~ion_call>call:greet{name:<escape>a<escape>}"),
        ("smolagents_code", "ode>\nprint(1)\n</code>"),
        ("openhands_fn", "<f unction=finish>\n</function>"),
        ("sk_plan", '<plan>\n<functionon.Mail.Send to="a"/>\n</plan>'),
        ("devin_xml", "<view_shell/"),
        ("mistral_v11", 'OOL_CALLS]tide{"place": "Narvik"}'),
        ("mistral_v11", "Hi [TOOL_CALLS]tide[ARGS{]}"),
        # One mark is damaged, and but for that a call would stand there.
        ("aider_whole", "low.py\n``\nx = 1\n```"),
        ("aider_whole", "It is\n```\n7.2\n```\n\nlow.py\n`|`\nx = 1\n```"),
        ("fenced_json", "```j|on\n" + _OBJECT + "\n```"),
        ("reploid0", "I look.\nL: read\npath: /a.txt"),
        ("smolagents_json", f"Ac_on:\n{_OBJECT}"),
        ("smolagents_code", "```ppy\nprint(1)\n```"),
        # Marks and symbols.
        ("functionary_v3_2", ">>tide\n{}"),
        ("code_assistant_caret", "^^read_files\npath: a\n^^^"),
        ("gptme_tool", '@tide(call-1) {"place": "Narvik"}'),
        ("simple_agent", "}🛠️ bash ls"),
        ("simple_agent", "7️ bash ls"),
    ],
)
def test_the_rest_of_a_damaged_call_is_a_lost_call(format_id: str, text: str) -> None:
    check(format_id, text, is_lost=True)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("react", "Actions: none are needed.\nThe input is fine."),
        ("reploid0", "TOOLS: a list of them.\nThe path: open."),
        ("ts_call", "Run console.log({a: 1}), or functions.NAME in general."),
        ("smolagents_json", 'The line Action: comes first, and then {"name": 1}.'),
        ("fenced_json", '```json\n{"game": "chess", "input": "e4"}\n```'),
        ("openwebui_json", '{"name": "Kari", "age": 41}'),
        ("bash_fence", "```python\nprint(1)\n```\nand `bash` with ``two``."),
        ("bash_fence", "````md\n```bsah\n```\n````"),
        ("bash_fence", "```bashrc-like\nls\n```"),
        ("hunyuan_a13b", 'Its "arguments": {"place": 1} stand {here}.'),
        ("yaml_fence", "```yaml\nname: build\non: push\n```"),
        ("aider_udiff", "```diff\n@@ @@\n-a\n+b\n```"),
        ("smolagents_code", "Write `</code>` behind <b>it</b>."),
        ("functionary_v3_2", "> quoted\n>> twice\n"),
        ("gptme_tool", "Ask @kari (or me) about it."),
        ("simple_agent", "✔️ done, and 3️⃣ to go"),
        ("aider_whole", "See `low.py`:\n```\nx = 1\n```\nand `high`."),
        ("smolagents_code", "```java\nint a;\n```\n\n```\nprint(1)\n```"),
        ("open_interpreter", "```\nThought: none\n```"),
    ],
)
def test_what_texts_have_besides_is_none(format_id: str, text: str) -> None:
    check(format_id, text, is_lost=False)


@pytest.mark.parametrize(
    ("format_id", "opener"),
    [
        ("hunyuan_a13b", "<tool_calls>"),
        ("xlam", ""),
        ("mistral_json", "[TOOL_CALLS] "),
    ],
)
@pytest.mark.parametrize("broken", ['{"name<, "tide"', '{"name"x "tide"', '{""name": "tide"'])
def test_a_broken_call_of_a_list_is_lost(format_id: str, opener: str, broken: str) -> None:
    text = f'{opener}[{_OBJECT}, {broken}, "arguments": {{"place": "Bergen"}}}}]'
    for wanted in (format_id, [format_id, "hermes"]):
        result = read(wanted, text)
        assert [call.arguments for call in result.calls] == [{"place": "Narvik"}]
        assert not result.ok


_OWN = r"""//@ id: own
%import .common.text (TEXT, RAW)

start: (TEXT | call)*
call: "<use tool=\"" name "\">" input "</use>"
name: /\w+/
input: RAW
"""


@pytest.mark.parametrize(
    ("text", "is_lost"),
    [
        ("I do. <use tool='edit'>x</use>", True),
        ("Write `<use tool='edit'>x</use>`.", False),
        ("It's <b class='x'>bold</b>.", False),
    ],
)
def test_a_tag_in_other_quotes_is_a_damaged_opener(
    text: str, *, is_lost: bool, tmp_path: Path
) -> None:
    grammar = tmp_path / "own.lark"
    grammar.write_text(_OWN, encoding="utf-8")
    check(str(grammar), text, is_lost=is_lost)
