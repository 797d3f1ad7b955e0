"""How many fixtures of the public suite canitoolcall are read as it expects?

The suite holds model outputs of nine families with the parse that an inference engine should give:
content, reasoning, calls. Each is read whole and in four ways of cutting, and judged by the suite's
own checks: *pass*, *soft pass* (white space differs), *fail*. Calls that are not executable are left
out, as a server would leave them out. The format is that of the model, the prefix what its chat
template has written behind the header of the assistant's turn.

Needs `pip install canitoolcall` (the group `bench` has it); `--show` prints what does not pass.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

from canitoolcall.checks import case_status, run_checks
from canitoolcall.fixtures import default_fixtures_dir, load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall
from canitoolcall.results import ParseResult as Parsed
from harness import report

from toolgrammar import Parser, UnknownFormat, formats, parse

if TYPE_CHECKING:
    from canitoolcall.fixtures import Fixture

    from toolgrammar import ParseResult

GOALS = "≥ 449 pass, ≤ 13 fail"
CUTS = {"one": None, "token": (4, 4), "rand:1:8": (1, 9), "rand:2:8": (1, 17)}
"""Names of the suite's strategies, and how many characters a piece has; its token ids need models."""
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


def format_of(fixture: Fixture) -> str:
    """Returns the format that the model of a fixture writes."""
    for model in fixture.models:
        try:
            return formats.for_model(model).id
        except UnknownFormat:
            continue
    return OF_FAMILY[fixture.family]


def prefix_of(fixture: Fixture, defaults: dict[tuple[str, str], str]) -> str:
    """Returns what the chat template had written of the answer before the model began."""
    prompt = fixture.generation_prompt
    if prompt is None:
        prompt = defaults.get((fixture.family, fixture.reference_model), "")
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


def shown(result: ParseResult) -> Parsed:
    """Returns a result in the shape that the suite judges."""
    calls = (call for call in result.calls if call.executable)
    written = tuple(ParsedToolCall(call.name, json.dumps(call.arguments)) for call in calls)
    return Parsed(result.text or None, result.reasoning or None, written, None)


def observed(fixture: Fixture, prefix: str) -> Observation:
    """Returns what is read of a fixture, whole and in pieces."""
    given: dict[str, Any] = {
        "format": format_of(fixture), "tools": list(fixture.tools), "prefix": prefix,
    }  # fmt: skip
    reason = "length" if fixture.truncated else None
    text = fixture.raw_output
    streams: dict[str, Parsed] = {}
    for name, sizes in CUTS.items():
        parser, draw, position = Parser(**given), random.Random(name), 0
        while position < len(text):
            size = len(text) if sizes is None else draw.randint(*sizes)
            parser.feed(text[position : position + size])
            position += size
        parser.close(reason)
        streams[name] = shown(parser.result)
    return Observation(shown(parse(text, finish_reason=reason, **given)), streams)


def main() -> None:
    """Prints a row for each family of models."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--show", action="store_true", help="print what does not pass, and why")
    options.add_argument("--family", help="only this one")
    given = options.parse_args()
    families, defaults = load_families(), default_prompts()
    counts: dict[str, Counter[str]] = {}
    for fixture in load_fixtures():
        if given.family not in (None, fixture.family):
            continue
        judged = run_checks(
            fixture, families.get(fixture.family), observed(fixture, prefix_of(fixture, defaults))
        )
        status = case_status(judged).value
        counts.setdefault(fixture.family, Counter())[status] += 1
        if given.show and status != "pass":
            why = next(row for row in judged if row.status.value != "pass")
            print(f"{fixture.id}: {status}: {why.check}: {why.detail}\n")
    counts["all"] = sum(counts.values(), Counter())
    rows: list[dict[str, object]] = [
        {
            "family": family,
            "fixtures": found.total(),
            "pass": found["pass"],
            "soft pass": found["soft_pass"],
            "fail": found["fail"] + found["error"],
            "goal": GOALS if family == "all" and given.family is None else "",
        }
        for family, found in counts.items()
    ]
    report(rows, None)


if __name__ == "__main__":
    main()
