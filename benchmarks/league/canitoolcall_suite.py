"""The fixtures of the public suite canitoolcall, judged by the suite's own checks.

`glm/basic-one-call` comes out as a fixture in the format `glm45` that is passed by an answer with
the suite's content, reasoning and calls, whole and under each cutting. The format is that of the
model; the prefix what its chat template has written behind the header of the assistant's turn.
Needs `pip install canitoolcall` (the group `bench` has it).
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from canitoolcall.adapters import sglang as sglang_flags
from canitoolcall.adapters import vllm as vllm_flags
from canitoolcall.checks import canonical, case_status, expected_as_result, run_checks
from canitoolcall.fixtures import default_fixtures_dir, load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall
from canitoolcall.results import ParseResult as Parsed

from league.fixtures import Answer, Fixture, NotJson, Reading, Verdict
from toolgrammar import UnknownFormat, formats

if TYPE_CHECKING:
    from canitoolcall.fixtures import Family
    from canitoolcall.fixtures import Fixture as Asked

SUITE = "canitoolcall"
TURNS = (
    '<|open|>message role="assistant"<|sep|>',
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<|header_start|>assistant<|header_end|>\n\n",
    "<|im_assistant|>assistant<|im_middle|>",
    "<|im_start|>assistant\n",
    "<|turn>model\n",
    "<|start|>assistant",
    "<\uff5cAssistant\uff5c>",
    "<|assistant|>\n",
    "<|assistant|>",
    "[/INST]",
)
"""Headers of the assistant's turn in the chat templates of the suite's models."""
OF_FAMILY = {"qwen3-xml": "qwen3_xml", "kimi": "kimi_k3"}
"""Formats of models that no format names."""


def fixtures() -> list[Fixture]:
    """Returns all fixtures of the suite."""
    families, defaults = load_families(), default_prompts()
    return [_fixture(each, families.get(each.family), defaults) for each in load_fixtures()]


def _fixture(asked: Asked, family: Family | None, defaults: dict[tuple[str, str], str]) -> Fixture:
    prompt, format_id = prompt_of(asked, defaults), format_of(asked)
    return Fixture(
        id=asked.id,
        suite=SUITE,
        format=format_id,
        text=asked.raw_output,
        judge=partial(judged, asked, family),
        tools=tuple(dict(tool.get("function", tool)) for tool in asked.tools),
        prefix=prefix_of(prompt),
        prompt=prompt,
        stop=_kept_stop(asked) if format_id == "harmony" else "",
        truncated=asked.truncated,
        thinking=asked.thinking,
        reasoning=_reasoning_parsers(asked),
    )


def format_of(asked: Asked) -> str:
    """Returns the format that the model of a fixture writes."""
    for model in asked.models:
        try:
            return formats.for_model(model).id
        except UnknownFormat:
            continue
    return OF_FAMILY[asked.family]


def prompt_of(asked: Asked, defaults: dict[tuple[str, str], str]) -> str:
    """Returns what the chat template writes at the end of the prompt."""
    if asked.generation_prompt is not None:
        return asked.generation_prompt
    return defaults.get((asked.family, asked.reference_model), "")


def prefix_of(prompt: str) -> str:
    """Returns what stands there of the answer itself."""
    for turn in TURNS:
        if turn in prompt:
            return prompt.rsplit(turn, 1)[1]
    return ""


def default_prompts() -> dict[tuple[str, str], str]:
    """Returns the generation prompts that fixtures leave out, by family and model."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted(default_fixtures_dir().glob("*/family.json")):
        family = json.loads(path.read_text(encoding="utf-8"))
        for model in family["reference_models"]:
            found[family["slug"], model["repo"]] = model.get("default_generation_prompt") or ""
    return found


def _kept_stop(asked: Asked) -> str:
    """Returns the token that ended a message of Harmony: it is a part of its calls."""
    token = sglang_flags.harmony_stop_token(asked.raw_output)
    return "" if asked.truncated or asked.raw_output.endswith(token) else token


def _reasoning_parsers(asked: Asked) -> dict[str, str | None]:
    """Returns the reasoning parsers with which the suite itself starts the servers."""
    vllm = vllm_flags.resolve_parsers(asked.family, asked.reference_model)
    sglang = sglang_flags.resolve_parsers(asked.family, asked.reference_model)
    return {
        "vLLM": vllm.choice.reasoning_parser if vllm and vllm.choice else None,
        "SGLang": sglang.reasoning_parser if sglang else None,
    }


def judged(asked: Asked, family: Family | None, answer: Answer) -> tuple[Verdict, str]:
    """Returns the suite's verdict; of what it fails or passes softly, *partly* is right calls."""
    rows = run_checks(asked, family, observed(asked, answer))
    status = case_status(rows).value
    if status == "pass":
        return "pass", ""
    worst = [row for row in rows if row.status.value == status]
    why = f"{worst[0].check}, {worst[0].strategy}: {worst[0].detail}"
    if answer.raised:
        return "raised", next(each.raised for each in answer.readings() if each.raised)
    return ("partly" if has_right_calls(asked, answer) else "fail"), why


def observed(asked: Asked, answer: Answer) -> Observation:
    """Returns an answer as the suite judges it; what a reader does not give out is not judged."""
    streams = {name: _parsed(asked, answer, each) for name, each in answer.streams.items()}
    return Observation(_parsed(asked, answer, answer.whole), streams)


def _parsed(asked: Asked, answer: Answer, reading: Reading) -> Parsed:
    found = Parsed(
        reading.text or None,
        reading.reasoning or None,
        tuple(ParsedToolCall(name, _json(arguments)) for name, arguments in reading.calls),
        reading.raised or None,
    )
    if asked.expected is None:
        # An error is expected: no call, or the text as it stands, which is judged by the text.
        return found
    if "reasoning" not in answer.gives:
        found = replace(found, reasoning_content=asked.expected.reasoning_content)
    # The text of a reader that does not part them holds the reasoning.
    if "text" not in answer.gives or (
        "reasoning" not in answer.gives and asked.expected.reasoning_content
    ):
        found = replace(found, content=asked.expected.content)
    return found


def has_right_calls(asked: Asked, answer: Answer) -> bool:
    """Whether the calls are the suite's in every way of handing the message over."""
    wanted: list[Any] = []
    if asked.expected is not None:
        wanted = canonical(expected_as_result(asked.expected), soft=False)["tool_calls"]
    return all(
        canonical(_parsed(asked, answer, each), soft=False)["tool_calls"] == wanted
        for each in answer.readings()
    )


def _json(arguments: object) -> str:
    return arguments.text if isinstance(arguments, NotJson) else json.dumps(arguments)
