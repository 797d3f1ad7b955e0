"""A grammar, its page and messages, and what a command line leaves behind."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

GRAMMAR = """\
//@ id: mine
//@ title: Mine
//@ models: org/*
%declare TEXT JSON_OBJECT
start: (TEXT | call)*
call: "<call>" name ":" arguments "</call>"
name: NAME
NAME: /\\w+/
arguments: JSON_OBJECT
"""
PAGE = """\
# Mine

### One call

~~~text example
Look: <call>weather:{"city": "Oslo"}</call>
~~~

~~~json
{"calls": [{"name": "weather", "arguments": {"city": "Oslo"}}], "content": "Look:"}
~~~
"""
MESSAGE = 'Søk: <call>weather:{"city": "Tromsø"}</call>'
CUT = '<call>weather:{"city": "Trom'


class Outcome(NamedTuple):
    status: int
    out: str
    error: str


Run = Callable[..., Outcome]


def json_lines(text: str) -> list[dict[str, Any]]:
    """The values that a command printed, one a line."""
    return [json.loads(line) for line in text.splitlines()]
