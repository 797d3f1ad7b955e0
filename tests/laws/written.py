"""What is made of the reading of each example of each page, to the last letter, as a short digest.

The wire text of its calls and of their results, a conversation, the prompt; its messages and streams
for other APIs, also repaired ones; and what an engine answers whose tools return their arguments.
`python -m tests.laws.written` writes the record anew: what changed shows by the name of its example,
and has to be meant.
"""

import json
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from unittest.mock import patch

from tests.laws.records import Record
from toolgrammar import Format, Parser, ParseResult, ToolGrammarError
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.engine import Engine, Tool, ToolError, ToolResult, to_messages
from toolgrammar.interop import anthropic, langchain, openai
from toolgrammar.testing import Case
from toolgrammar.testing.small_damage import small_damage
from toolgrammar.values.events import Event
from toolgrammar.values.tools import ToolSpec

_PIECE = 7
"""Characters of a piece of a stream."""
_APIS = (openai, anthropic, langchain)


def described(case: Case) -> dict[str, str]:
    """Writes out what is made of an example."""
    # The driver and the shortcut cut events otherwise, and which of them reads would depend on what
    # the process read of the format before.
    with patch.object(RetryBudget, "tries", lambda _: True):
        return _described(case)


def _described(case: Case) -> dict[str, str]:
    parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
    events = [*parser.feed(case.text), *parser.close()]
    result = parser.result
    parts = {
        "wire": _wire(case, result),
        "messages": _messages(result, events),
        "repaired": _repaired(case, result),
        "engine": _engine(case, result),
    }
    return {name: "\n".join(texts) for name, texts in parts.items()}


def _told(make: Callable[[], object]) -> str:
    """Returns what a function returns, or the error that it raises, in words."""
    try:
        return repr(make())
    except (ToolGrammarError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _wire(case: Case, result: ParseResult) -> Iterator[str]:
    """Yields what is written in the format of the example."""
    form, tools = _format(case), case.tools
    yield _told(lambda: form.render(result.calls, result.text, tools=tools))
    results = _results(result)
    yield _told(lambda: form.render_results(results))
    yield _told(lambda: form.render_results(results, on_markup="refuse"))
    answers = to_messages(results, "openai")
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": f"Write {case.text[:40]}"},
        openai.to_message(result),
        *answers,
        {"role": "user", "content": [{"type": "text", "text": "Thanks."}]},
    ]
    yield _told(lambda: form.render_conversation(turns, tools=tools))
    yield _prompt(form, tuple(tools or ()))
    for style in ("openai", "anthropic", form.id):
        yield _told(partial(to_messages, results, style, tools=tools))


@cache
def _prompt(form: Format, tools: tuple[ToolSpec, ...]) -> str:
    """Returns the prompt, which most examples of a page share."""
    return _told(lambda: form.prompt(tools))


def _format(case: Case) -> Format:
    assert isinstance(case.format, Format)
    return case.format


def _results(result: ParseResult) -> list[ToolResult]:
    """Returns a result for each call: a value, a text with the message's own markup, or an error."""
    found = []
    for index, call in enumerate(result.calls):
        values = ({"found": index, "text": "Łódź"}, result.source[:80], None)
        value = values[index % len(values)]
        error = ToolError("tool_error", "no connection") if value is None else None
        found.append(ToolResult(call, value, error, index=index))
    return found


def _messages(result: ParseResult, events: list[Event]) -> Iterator[str]:
    """Yields messages and streams for other APIs, and what is read of them again."""
    for api in _APIS:
        yield repr(api.to_message(result))
        yield repr(api.to_tool_calls(result.calls, id_prefix="turn_1_"))
        chunks = list(api.to_stream(iter(events)))
        yield repr(chunks)
        yield repr(list(api.from_stream(iter(chunks))))
    yield repr(langchain.to_invalid_tool_calls(result.calls))
    yield result.feedback()


def _repaired(case: Case, result: ParseResult) -> Iterator[str]:
    """Yields messages of servers that read no call in the text, or whose arguments are damaged."""
    draw = random.Random(case.text)
    text, form, tools = case.text, case.format, case.tools
    message = {"role": "assistant", "content": text}
    yield repr(openai.repair_message(message, form, tools))
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    chunks = [{"choices": [{"index": 0, "delta": {"content": each}}]} for each in pieces]
    over = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield repr(list(openai.repair_stream(iter([*chunks, over]), form, tools)))
    blocks = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    yield repr(anthropic.repair_message(blocks, form, tools))
    if not result.calls:
        return
    calls = []
    for call, native in zip(result.calls, openai.to_tool_calls(result.calls), strict=True):
        raw = json.dumps(call.arguments)
        damaged = small_damage(raw, list(range(len(raw))), draw)
        calls.append({**native, "function": {"name": call.name, "arguments": damaged}})
    native_message = {"role": "assistant", "content": None, "tool_calls": calls}
    yield repr(openai.repair_message(native_message, form, tools))
    deltas = [{"index": at, **each} for at, each in enumerate(calls)]
    begun = {"choices": [{"index": 0, "delta": {"tool_calls": deltas}}]}
    yield repr(list(openai.from_stream(iter([begun, over]), repair=True, tools=tools)))


def _engine(case: Case, result: ParseResult) -> Iterator[str]:
    """Yields what an engine answers whose tools return their arguments."""
    specs = case.tools or ()
    engine = Engine([Tool(_echo, name=each.name, schema=each.parameters) for each in specs])
    for each in engine.run_all_sync(result):
        yield repr((each.index, each.value, each.error, each.attempts, each.content))


def _echo(**arguments: object) -> object:
    return arguments


RECORD = Record("written", described)

if __name__ == "__main__":
    RECORD.write()
