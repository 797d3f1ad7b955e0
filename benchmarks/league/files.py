"""Suites in files that a user names: cases, recorded messages, and Dynamo's parity fixtures.

- `cases.jsonl`: `{"id", "format", "text", "tools", "calls", "content", "reasoning", "prefix"}` a
  line; `calls` as `{"name", "arguments"}`; content and reasoning are null where nothing is said.
- `messages.jsonl` or `.jsonl.gz`: recorded messages, as `recorded.py` reads them.
- a folder of Dynamo's fixtures (`<family>/PARSER.*.yaml`), each with what several engines make of a
  text. Right is what all of them say; where they differ, there is no truth and no fixture.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.truths import judged, truth_of
from recorded import compared, messages

from league.fixtures import Answer, Fixture, Verdict, judged_by, same_calls
from toolgrammar import ParseResult, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.truths import Truth

Left = Counter[str]
"""How many rows of a file are no fixture, by reason."""
ENGINES = ("dynamo", "vllm", "sglang")
DYNAMO_FAMILIES = {"mistral": "mistral_json", "phi4": "phi4_mini", "qwen3_coder": "qwen3_xml"}
"""Formats of families whose names are others."""


def fixtures_of(path: Path, limit: int | None) -> tuple[list[Fixture], Left]:
    """Returns the fixtures of a file or folder, and what is left out of it and why.

    Args:
        path: what the user named.
        limit: at most so many, spread over the file.
    """
    left: Left = Counter()
    if path.is_dir():
        found = list(_parity(path, left))
    elif "truth" in _second_line(path):
        found = list(_recorded(path, left))
    else:
        found = list(_cases(path))
    if limit is not None and len(found) > limit:
        left["beyond --limit"] = len(found) - limit
        step = len(found) / limit
        found = [found[int(step * index)] for index in range(limit)]
    return found, left


def _second_line(path: Path) -> dict[str, Any]:
    """Returns the second row of a file, or the first where there is no other."""
    lines = _lines(path)
    row: dict[str, Any] = json.loads(next(lines))
    second = next(lines, "")
    return json.loads(second) if second else row


def _lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from (line for line in file if line.strip())


def _cases(path: Path) -> Iterator[Fixture]:
    for line in _lines(path):
        row = json.loads(line)
        calls = [(call["name"], _arguments(call)) for call in row.get("calls") or ()]
        tools = row.get("tools")
        yield Fixture(
            id=row["id"],
            suite=path.name,
            format=row.get("format") or "auto",
            text=row["text"],
            judge=judged_by(calls, row.get("content"), row.get("reasoning")),
            tools=None if tools is None else tuple(tools),
            names=tuple(dict.fromkeys(name for name, _ in calls)),
            prefix=row.get("prefix") or "",
        )


def _arguments(call: dict[str, Any]) -> Any:
    """Returns the arguments of an expected call; a payload of free text stands as `input`."""
    given = call.get("input")
    return call.get("arguments") or {} if given is None else {"input": given}


def _recorded(path: Path, left: Left) -> Iterator[Fixture]:
    for row in messages(path):
        truth = truth_of(row)
        if truth is None:
            left["the source does not say what it read"] += 1
            continue
        truth, odd = judged(truth, row)
        if truth is None:
            left[f"no truth: {odd}"] += 1
            continue
        names = [each.name for each in truth.calls if each.name]
        tools = row["tools"]
        yield Fixture(
            id=str(row["id"]),
            suite=path.name,
            format=row["format"] or "auto",
            text=row["text"],
            judge=partial(_as_recorded, truth),
            tools=None if tools is None else tuple(_plain(spec) for spec in tools.values()),
            names=tuple(dict.fromkeys(names)),
            prefix=row.get("prefix", ""),
        )


def _plain(spec: Any) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description or "",
        "parameters": spec.parameters or {"type": "object", "properties": {}},
    }


def _as_recorded(truth: Truth, answer: Answer) -> tuple[Verdict, str]:
    """Returns whether the calls are those of the source; nothing is known of text and reasoning."""
    for reading in answer.readings():
        if reading.raised:
            return "raised", reading.raised
        calls = tuple(
            ToolCall(name, arguments if isinstance(arguments, dict) else {"": arguments})
            for name, arguments in reading.calls
        )
        kinds = compared(ParseResult(calls=calls), truth)
        if kinds != ["same"]:
            return "fail", f"{', '.join(kinds)}: {[call.name for call in calls]}"
    return "pass", ""


def _parity(folder: Path, left: Left) -> Iterator[Fixture]:
    import yaml

    for path in sorted(folder.rglob("PARSER.*.yaml")):
        page = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, case in page["cases"].items():
            answers = [case["expected"][each] for each in ENGINES if each in case["expected"]]
            answers = [each for each in answers if "calls" in each]
            if len(answers) < 2:
                left["fewer than two engines answer"] += 1
                continue
            first, *others = [_called(each) for each in answers]
            if not all(same_calls(tuple(each), first) for each in others):
                left["the engines read other calls each"] += 1
                continue
            texts = {(each.get("normal_text") or "").strip() for each in answers}
            yield Fixture(
                id=f"{page['family']}/{name}",
                suite=folder.name,
                format=DYNAMO_FAMILIES.get(page["family"], page["family"]),
                text=_text_of(case),
                judge=judged_by(first, texts.pop() if len(texts) == 1 else None, None),
                tools=tuple(case.get("tools") or ()),
                names=tuple(dict.fromkeys(each for each, _ in first)),
            )


def _called(answer: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(call["name"], call.get("arguments") or {}) for call in answer["calls"]]


def _text_of(case: dict[str, Any]) -> str:
    if "model_text" in case:
        return case["model_text"] or ""
    return "".join(chunk["delta_text"] for chunk in case["chunks"])
