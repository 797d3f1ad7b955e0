"""Tools, conversations and answers that tests of agents share."""

from typing import Any


def tool_named(name: str) -> dict[str, Any]:
    numbers = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    parameters = {"type": "object", "properties": numbers}
    function = {"name": name, "description": "Adds two numbers.", "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [tool_named("add")]
SAY = {
    "type": "function",
    "function": {
        "name": "say",
        "description": "Says a text.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
    },
}
ASKED = [{"role": "user", "content": "1+2?"}]
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
OTHER = CALL.replace("add", "remove")
TEXTS = {
    "one call": CALL,
    "text around": f" \n On it. {CALL}\n Then  \n\n{CALL} so. \n",
    "reasoning": f"<think>\n two sums \n</think>\n\nOn it.\n{CALL}",
    "text alone": "  Three.  \n",
    "unknown tool": f"{CALL}\n{OTHER}",
    "cut": f"I go.\n{CALL[:50]}",
    "mended": CALL.replace('"a": 1', "'a': 1,"),
    "in code": f"As in\n```\n{CALL}\n```\nso.",
    "unread": "See.\n" + CALL.replace('"name": "add", ', ""),
    "white space": " \n\t ",
    "nothing": "",
}
