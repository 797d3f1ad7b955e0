"""What servers part into reasoning and the rest, and read then, is what is read at once."""

import pytest

from tests.laws.every_case import hold, page_cases
from toolgrammar import formats, parse
from toolgrammar.servers.message_reader import CallBegun, MessageReader
from toolgrammar.servers.parser_names import format_of, reasoning_parser_names
from toolgrammar.servers.prompt_end import prefix_of
from toolgrammar.servers.reasoning_split import ReasoningSplit
from toolgrammar.testing import Case

NOT_FIRST = {
    "going-on-without-the-result-an-invented-observation",
    "going-on-without-the-result-an-answer-and-the-next-question",
    "a-call-in-reasoning",
}
"""Examples with reasoning behind a call or an answer, which is left to the rest."""


def _split(case: Case, format_id: str, *chunks: str) -> tuple[str, str]:
    split = ReasoningSplit(format_id, prefix=case.prefix)
    found = [*map(split.feed, chunks), split.finish()]
    return "".join(first for first, _ in found), "".join(second for _, second in found)


def split_and_read(case: Case) -> None:
    """Holds that the reasoning and the calls are the same, and that cutting does not matter."""
    fmt = formats.resolve(case.format)
    whole = parse(case.text, fmt, tools=case.tools, prefix=case.prefix)
    reasoning, rest = _split(case, fmt.id, case.text)
    assert _split(case, fmt.id, *case.text) == (reasoning, rest), case.id
    if case.id.split("::")[1] not in NOT_FIRST:
        assert reasoning.strip() == whole.reasoning, case.id
    # Without tools a format may take no name for one, and the server has a list in any case.
    if case.tools is not None:
        reader = MessageReader(fmt.id, case.tools, giving="all")
        pieces = [*reader.feed(rest), *reader.finish()]
        found = [piece.name for piece in pieces if isinstance(piece, CallBegun)]
        assert found == [call.name for call in whole.calls], case.id


@pytest.mark.parametrize("format_id", [format_of(name) for name in reasoning_parser_names()])
def test_a_message_is_read_in_two_steps_as_in_one(format_id: str) -> None:
    # A prefix that opens no reasoning is nothing that a reasoning parser hears of.
    hold(
        split_and_read,
        [
            case
            for case in page_cases(format_id)
            if not case.prefix or prefix_of(format_id, case.prefix) == case.prefix
        ],
    )
