"""The script that compares recorded messages says of each what came of it."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
TOOL = {
    "name": "tide",
    "parameters": {
        "type": "object",
        "properties": {"port": {"type": "string"}, "days": {"type": "integer"}},
    },
}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("recorded")


def _call(**arguments: object) -> list[dict[str, object]]:
    return [{"name": "tide", "arguments": arguments}]


@pytest.mark.parametrize(
    ("format_id", "text", "truth", "kinds", "odd"),
    [
        ("pythonic", "[tide(port='Bude')]", {"parser": _call(port="Bude")}, ["same"], ""),
        ("pythonic", "[tide(port='Bude', days=2)]", {"parser": _call(port="Bude", days="2")}, ["same"], ""),
        ("pythonic", "[tide(port='Bude')]", {"parser": _call(port="Bud")}, ["wrong, executable"], ""),
        ("pythonic", "Bude.", {"parser": _call(port="Bude")}, ["lost"], ""),
        ("pythonic", "[tide(port=x)]", {"parser": _call(port="x")}, ["truth apart"], "an expression"),
        ("pythonic", "[tide('Bude')]", {"parser": []}, ["truth completed", "same"], "calls that"),
        ("pythonic", "[tide('Bude', days=2)]", {"parser": _call(days=2)}, ["truth completed", "same"], "arguments that"),
        ("pythonic", "So tide(port='Bude') is one.", {"parser": []}, ["same"], ""),
        ("pythonic", "[tide(port='Bude')]\n[tide(port='Bude')]", {"parser": []}, ["truth completed", "same"], "calls that"),
        ("hermes", '{"name": "tide", "arguments": {"port": "Bude"}}', {"parser": []}, ["truth completed", "same"], "calls that"),
        ("hermes", '{"name": "reef", "arguments": {"port": "Bude"}}', {"parser": []}, ["same"], ""),
        ("pythonic", "[tide(port='Bude')]", {"parser_error": "?"}, ["read where it failed"], ""),
        ("swe_agent", "Look.\n```\nls -a\n```", {"action": "ls -a\n"}, ["same"], ""),
        ("swe_agent", "Look.", {"action": "cat b.py"}, ["truth apart"], "does not stand"),
        (
            "react",
            'Action: tide\nAction Input: {"port": "Bude"}',
            {"crewai": ["tide", '{"port": "Bude"}\nObservation: low']},
            ["same"],
            "",
        ),
        ("aider_diff", "Nothing.", {"blocks": []}, ["same"], ""),
        ("roo_xml", "<tide>\n<port>Bude</port>\n</tide>", {"executed": ["tide", "Bude"]}, ["same"], ""),
        ("", '{"tool_name": "tide", "args": {"port": "Bude"}}', {"ej": _call(port="Bude")[0]}, ["same"], ""),
    ],
)  # fmt: skip
def test_what_came_of_a_message(
    recorded: Any,
    tmp_path: Path,
    format_id: str,
    text: str,
    truth: object,
    kinds: object,
    odd: str,
) -> None:
    row = {
        "id": 1,
        "source": "own",
        "format": format_id,
        "text": text,
        "tools": "T",
        "truth": truth,
    }
    path = tmp_path / "messages.jsonl"
    lines = [json.dumps({"tools": {"T": [TOOL]}}), json.dumps(row)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    [message] = recorded.messages(path)
    found = recorded.outcome(message, cuts=1, every_truth=False)
    assert found.kinds == kinds
    assert odd in found.odd
    assert recorded.figures([found])[-1]["messages"] == 1
