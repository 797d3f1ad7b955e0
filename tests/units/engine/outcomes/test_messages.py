"""Results go back to the model in the shape of its API, or in the text of its format."""

import json
from typing import Any

import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionToolMessageParam
from pydantic import TypeAdapter

from toolgrammar import ToolCall, formats, parse
from toolgrammar.engine import Engine
from toolgrammar.engine.outcomes.failures import ToolError
from toolgrammar.engine.outcomes.messages import to_messages
from toolgrammar.engine.outcomes.results import ToolResult
from toolgrammar.interop import anthropic, openai

RESULTS = [
    ToolResult(ToolCall("weather", {"city": "Oslo"}), {"sky": "grau ü"}),
    ToolResult(ToolCall("now", id="own"), "noon"),
    ToolResult(ToolCall("boom"), error=ToolError("tool_error", "timeout")),
]
CONTENTS = ['{"sky":"grau ü"}', "noon", "Error: tool_error:timeout"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(5, "results must be a list of results, got int 5"), ([5], "has a call and a content, got 5")],
)
def test_what_is_no_result_is_a_mistake(wrong: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        to_messages(wrong)


def test_openai_wants_a_message_for_each() -> None:
    found = to_messages(RESULTS)
    TypeAdapter(list[ChatCompletionToolMessageParam]).validate_python(found)
    assert found == [
        {"role": "tool", "tool_call_id": "call_0", "content": CONTENTS[0]},
        {"role": "tool", "tool_call_id": "own", "content": CONTENTS[1]},
        {"role": "tool", "tool_call_id": "call_2", "content": CONTENTS[2]},
    ]
    assert to_messages(RESULTS, "openai") == found


@pytest.mark.parametrize("style", ["openai", "anthropic", "hermes", "react"])
def test_a_request_can_carry_what_a_tool_returned(style: str) -> None:
    """The name of a file that is not UTF-8 has half a surrogate pair, as `os.listdir` gives it."""

    def names() -> dict[str, list[str]]:
        return {"na\udcefve": ["a\udcff.txt", "\U0001f6e0"]}

    def image() -> list[object]:
        media = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
        return [media, {"type": "text", "text": "a\udcff"}]

    def broken() -> None:
        raise OSError("no file a\udcff.txt")

    engine = Engine([names, image, broken])
    results = engine.run_all_sync([ToolCall("names"), ToolCall("image"), ToolCall("broken")])
    sent = json.dumps(to_messages(results, style), ensure_ascii=False).encode()
    assert "a\ufffd.txt" in sent.decode()
    assert "\U0001f6e0" in sent.decode()
    # The value itself can still open the file.
    assert results[0].value == names()


def test_anthropic_wants_one_message_for_all() -> None:
    found = to_messages(RESULTS, "anthropic")
    TypeAdapter(list[MessageParam]).validate_python(found)
    ids = ["call_0", "own", "call_2"]
    assert found == [
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": identity,
                    "content": content,
                    "is_error": identity == "call_2",
                }
                for identity, content in zip(ids, CONTENTS, strict=True)
            ],
        }
    ]


def test_the_ids_are_those_of_the_calls() -> None:
    calls = [result.call for result in RESULTS]
    sent = [call["id"] for call in openai.to_tool_calls(calls, id_prefix="turn2_")]
    back = [m["tool_call_id"] for m in to_messages(RESULTS, id_prefix="turn2_")]
    assert sent == back
    used = [call["id"] for call in anthropic.to_tool_calls(calls, id_prefix="turn2_")]
    (message,) = to_messages(RESULTS, "anthropic", id_prefix="turn2_")
    assert used == [block["tool_use_id"] for block in message["content"]]


def test_a_format_has_a_text_of_its_own() -> None:
    text = "\n".join(f"<tool_response>\n{content}\n</tool_response>" for content in CONTENTS)
    assert to_messages(RESULTS, "hermes") == [{"role": "tool", "content": text}]
    assert to_messages(RESULTS, "qwen25") == to_messages(RESULTS, "hermes")  # an alias


def test_the_ids_of_a_format_are_made_up_with_the_prefix() -> None:
    (message,) = to_messages(RESULTS[:1], "mistral_v11", id_prefix="t_")
    assert message["content"] == f"[TOOL_RESULTS]{CONTENTS[0]}[/TOOL_RESULTS]"


def test_a_format_without_one_gets_json_lines() -> None:
    assert not formats["reploid"].tables.results
    (message,) = to_messages(RESULTS, "reploid")
    lines = [json.loads(line) for line in message["content"].split("\n")]
    names = ["weather", "now", "boom"]
    assert lines == [{"name": n, "content": c} for n, c in zip(names, CONTENTS, strict=True)]
    assert "ü" in message["content"]


def test_a_json_line_that_would_be_a_call_has_all_its_marks_escaped() -> None:
    """Any element whose name is that of a tool is a call there."""
    content = "<search>\n<q>ü_1</q>\n</search>"
    (message,) = to_messages([ToolResult(ToolCall("search"), content)], "devin_xml")
    q, end = (rf"\u003c{each}q\u003e" for each in ("", r"\u002f"))
    assert message["content"] == (
        r'{"name": "search", "content": "\u003csearch\u003e\n'
        rf"{q}ü\u005f1{end}\n"
        r'\u003c\u002fsearch\u003e"}'
    )
    assert json.loads(message["content"]) == {"name": "search", "content": content}
    assert not parse(message["content"], "devin_xml", tools=[{"name": "search"}]).calls


@pytest.mark.parametrize("style", ["openai", "anthropic", "hermes", "reploid"])
def test_no_results_make_no_message(style: str) -> None:
    assert to_messages([], style) == []


def test_an_unknown_style_is_the_callers_mistake() -> None:
    for results in ([], RESULTS):
        with pytest.raises(ValueError, match=r"unknown style 'hermse'.*nearest: 'hermes'"):
            to_messages(results, "hermse")


def test_a_generator_of_results_will_do() -> None:
    assert to_messages(result for result in RESULTS) == to_messages(RESULTS)


# ------------------------------------------------------------------------------- images


PNG = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
SOUND = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
BLOB = {"type": "resource", "resource": {"uri": "a", "blob": "aGk=", "mimeType": "image/gif"}}
SOURCE = {"type": "base64", "media_type": "image/png", "data": "aGk="}


@pytest.mark.parametrize(
    ("value", "content", "blocks"),
    [
        (PNG, "[image/png, 2 bytes]", [{"type": "image", "source": SOURCE}]),
        (
            ["A map", PNG, {"n": 1}],
            'A map\n[image/png, 2 bytes]\n{"n":1}',
            [
                {"type": "text", "text": "A map"},
                {"type": "image", "source": SOURCE},
                {"type": "text", "text": '{"n":1}'},
            ],
        ),
        (
            [{"type": "text", "text": "A map"}, PNG],
            "A map\n[image/png, 2 bytes]",
            [{"type": "text", "text": "A map"}, {"type": "image", "source": SOURCE}],
        ),
        ([SOUND], "[audio/wav, 2 bytes]", [{"type": "text", "text": "[audio/wav, 2 bytes]"}]),
        (
            [BLOB],
            "[image/gif, 2 bytes]",
            [{"type": "image", "source": {**SOURCE, "media_type": "image/gif"}}],
        ),
    ],
)
def test_images_travel_where_the_api_has_them(
    value: Any, content: str, blocks: list[dict[str, Any]]
) -> None:
    result = ToolResult(ToolCall("look", id="1"), value)
    assert result.content == content
    (found,) = to_messages([result], "anthropic")
    TypeAdapter(MessageParam).validate_python(found)
    assert found["content"][0]["content"] == blocks
    (found,) = to_messages([result])
    TypeAdapter(ChatCompletionToolMessageParam).validate_python(found)
    assert found["content"] == content
    assert content.splitlines()[0] in to_messages([result], "hermes")[0]["content"].replace(
        "\\n", "\n"
    )


@pytest.mark.parametrize("value", [{"type": "image"}, {"type": "image", "data": 1}, [], "x", None])
def test_what_is_no_image_is_json(value: Any) -> None:
    result = ToolResult(ToolCall("look", id="1"), value)
    (found,) = to_messages([result], "anthropic")
    assert found["content"][0]["content"] == result.content


def test_an_image_is_never_cut() -> None:
    data = "A" * 1_000_000
    picture = {**PNG, "data": data}
    engine = Engine([lambda: ["x" * 5_000, picture, {"y": "z" * 5_000}]], max_result_chars=1_000)
    value = engine.run_sync(ToolCall("<lambda>")).value
    assert value[1] == picture
    assert [len(each) < 1_100 for each in (value[0], value[2])] == [True, True]
    assert "of 5000 characters cut" in value[0]
    assert Engine([lambda: picture]).run_sync(ToolCall("<lambda>")).value == picture


def test_a_refused_call_is_told_how_to_write_it_again() -> None:
    """In every style, with the words of the feedback; and what a tool raised stays as it is."""

    def get_weather(city: str) -> str:
        raise RuntimeError("down")

    engine = Engine([get_weather])
    calls = [
        ToolCall("get_wether", {"city": "Oslo"}),
        ToolCall("get_weather", {"town": "Oslo"}),
        ToolCall("get_weather", {"city": "Os"}, status="truncated"),
        ToolCall("get_weather", {"city": 'it"s'}, doubts=("inner-quote",)),
        ToolCall("get_weather", status="unreadable", error="no JSON"),
        ToolCall("get_weather", {"city": "Oslo"}),
    ]
    results = list(engine.run_all_sync(calls))
    told = [message["content"] for message in to_messages(results, tools=[get_weather])]
    assert [text.split(".")[0].split("`")[0] for text in told] == [
        "Error: There is no tool ",
        *["Error: Your call of "] * 4,
        "Error: tool_error:down",
    ]
    assert "did you mean `get_weather`?" in told[0]
    assert "city" in told[1]
    assert told[2] == f"Error: {calls[2].feedback()}"
    assert told[3] == f"Error: {calls[3].feedback()}"
    assert told[4] == f"Error: {calls[4].feedback()}"
    assert "There is no tool `get_wether`. Write" in to_messages(results)[0]["content"]
    [message] = to_messages(results, "anthropic", tools=["get_weather"])
    assert [block["content"] for block in message["content"]] == told
    [wire] = to_messages(results, "hermes", tools=["get_weather"])
    assert all(text in wire["content"] for text in told)
