"""A message that a model puts into a block of code: the fence that closes it is part of no value.

Also of formats in which nothing but the end of the text closes a call, as a line of `simple_agent`.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

import toolgrammar
from tests.laws.every_case import FORMAT_IDS, SHOWN_FAILURES, cases
from toolgrammar.testing.readings import deed
from toolgrammar.tools.specs import to_specs

AROUND = (
    ("```\n", "\n```"),
    ("Here:\n\n```text\n", "\n```\n"),
    ("~~~\n", "\n~~~\nDone."),
)
"""What may stand around a message in a block."""


def _fenced(format_id: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields texts in blocks, with the calls that run there and those that were written."""
    for case in cases(format_id, malformed=False):
        # A format whose calls are blocks of code reads the fence as its own.
        if "```" in case.text or case.prefix:
            continue
        # Calls of no known tool in a block are doubted: with tools, more of them run.
        tools = to_specs(case.tools).values() if case.tools else None
        given = toolgrammar.parse(case.text, case.format, tools=tools)
        written = [repr(deed(call)) for call in given.calls]
        # Prose in a block may be the command of an agent whose commands stand in blocks.
        for before, behind in AROUND if written else ():
            text = before + case.text.strip("\r\n") + behind
            found = toolgrammar.parse(text, case.format, tools=tools).calls
            yield text, [repr(deed(call)) for call in found if call.executable], written


@pytest.mark.parametrize("format_id", FORMAT_IDS)
def test_what_runs_in_a_block_was_written(format_id: str) -> None:
    broken = [
        (text, run)
        for text, runs, written in _fenced(format_id)
        for run in runs
        if run not in written
    ]
    assert not broken, broken[:SHOWN_FAILURES]


@pytest.mark.heavy
def test_calls_in_blocks_run_in_most_formats() -> None:
    counts = Counter(
        format_id for format_id in FORMAT_IDS for _, runs, _ in _fenced(format_id) if runs
    )
    assert len(counts) > len(FORMAT_IDS) / 2
