"""Messages with calls that are not executable: no API may take them for ordinary ones."""

from toolgrammar import Event, Parser, ParseResult, parse

CUT = ("hermes", '<tool_call>\n{"name": "rm", "arguments": {"path": "/tmp/x')
CUT_BEFORE_ARGUMENTS = ("hermes", '<tool_call>\n{"name": "rm", "arguments": ')
CUT_XML = ("qwen3_xml", "<tool_call>\n<function=rm>\n<parameter=path>\n/tmp/x")
CUT_IN_PYTHON = ("pythonic", "[rm(path='/tmp/x', all=Tr")
DOUBTFUL = (
    "hermes",
    '<tool_call>\n{"name": "rm", "arguments": {"path": "/tmp/x", "path": "/"}}\n</tool_call> Done.',
)
UNREADABLE = ("hermes", '<tool_call>\n{"name": "rm", "arguments": "x"}\n</tool_call>')
SKIPPED = ("hermes", '<tool_call>\n{"name": "rm", "foo": {"path": "/"}}\n</tool_call>')
UNSAFE = {
    "cut": CUT,
    "cut-before-arguments": CUT_BEFORE_ARGUMENTS,
    "cut-xml": CUT_XML,
    "cut-in-python": CUT_IN_PYTHON,
    "doubtful": DOUBTFUL,
    "unreadable": UNREADABLE,
    "skipped": SKIPPED,
}


def unsafe(case: tuple[str, str], size: int) -> tuple[list[Event], ParseResult]:
    """Reads a message in chunks; gives the events and the result, whose call may not run."""
    form, text = case
    parser = Parser(form)
    events = [
        event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])
    ]
    events += parser.close()
    assert parser.result == parse(text, form)
    assert [call.executable for call in parser.result.calls] == [False]
    return events, parser.result
