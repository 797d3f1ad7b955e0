"""Each call that may not run has a sentence for the model that names the call and the reason."""

from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar import ParseResult, parse
from toolgrammar.testing import Case
from toolgrammar.values.codes import CODES
from toolgrammar.values.feedback import shown_name


def _says_why(result: ParseResult) -> None:
    said = result.feedback()
    assert bool(said) is not result.ok, f"{said!r} of a result that is ok: {result.ok}"
    for call in result.calls:
        own = call.feedback()
        assert bool(own) is not call.executable, f"{own!r} of {call}"
        if call.executable:
            continue
        assert shown_name(call.name)[:80] in own, f"{own!r} does not name {call.name!r}"
        if call.error is not None and call.status != "truncated":
            assert call.error.rstrip(".") in own, f"{own!r} does not say {call.error!r}"
        elif call.status == "truncated":
            assert "cut off" in own, own
        for code in call.doubts if call.error is None and call.status != "truncated" else ():
            word = CODES[code].meaning.split()[1]
            assert word in own, f"{own!r} does not say what {code} is"


def _law(case: Case) -> None:
    _says_why(parse(case.text, case.format or "auto", tools=case.tools))


@each_format
def test_feedback(format_id: str) -> None:
    hold(_law, cases(format_id))


@each_format
def test_feedback_of_damaged_texts(format_id: str) -> None:
    hold(_law, damaged_cases(format_id))
