"""Files of rows to read, and the results that are wanted of them."""

import json
from pathlib import Path
from typing import Any

import toolgrammar

GOOD = '<tool_call>\n{"name": "weather", "arguments": {"city": "Tromsø", "days": [1, 2.5]}}\n</tool_call>'
CUT = 'Look: <tool_call>\n{"name": "weather", "arguments": {"city": "Os'
MESSAGES = (GOOD, "Nothing here.", CUT, None, "", f"One {GOOD}\nand two {GOOD}")
"""Messages of all kinds, for `format="hermes"`."""


def wanted(message: str | None, **options: Any) -> dict[str, Any]:
    """What `parse` says of a message, as it is read back from JSON."""
    result = toolgrammar.parse(message, "hermes", **options)
    data: dict[str, Any] = json.loads(json.dumps(result.to_dict()))
    return data


def write_rows(path: Path, count: int) -> list[dict[str, Any]]:
    """Writes so many rows, and returns what is wanted of them."""
    messages = [MESSAGES[number % len(MESSAGES)] for number in range(count)]
    lines = [
        json.dumps({"id": number, "text": message}, ensure_ascii=number % 2 == 0)
        for number, message in enumerate(messages)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return [{**wanted(message), "row": {"id": n}} for n, message in enumerate(messages)]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The values in a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
