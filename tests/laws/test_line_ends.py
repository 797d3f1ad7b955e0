"""A text with the line ends of Windows has the same calls, but for the line ends in their values."""

import json
from dataclasses import replace

import pytest

import toolgrammar
from tests.laws.every_case import cases, each_format, hold
from toolgrammar import ParseResult
from toolgrammar.testing import Case


@each_format
@pytest.mark.parametrize("several", [False, True], ids=["alone", "in auto"])
def test_line_ends(format_id: str, *, several: bool) -> None:
    sound = (each for each in cases(format_id, malformed=False) if "\r" not in each.text)
    hold(_alike, (replace(each, format="auto") if several else each for each in sound))


def _alike(case: Case) -> None:
    wanted = _deeds(_read(case, case.text, case.prefix))
    text, prefix = (each.replace("\n", "\r\n") for each in (case.text, case.prefix))
    found = _deeds(_read(case, text, prefix))
    assert found == wanted, f"{case.id}: wanted {wanted}, found {found}"


def _read(case: Case, text: str, prefix: str) -> ParseResult:
    return toolgrammar.parse(text, format=case.format, tools=case.tools, prefix=prefix)


def _deeds(result: ParseResult) -> list[tuple[str, str, str, bool]]:
    return [
        (
            call.name,
            json.dumps(call.arguments, sort_keys=True).replace("\\r\\n", "\\n"),
            (call.input or "").replace("\r\n", "\n"),
            call.executable,
        )
        for call in result.calls
    ]
