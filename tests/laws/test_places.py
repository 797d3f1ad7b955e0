"""What is reported has its place in the text, and is said in words."""

import toolgrammar
from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import Case
from toolgrammar.testing.breaches import broken
from toolgrammar.values.codes import CODES
from toolgrammar.values.spans import Span


def placed(case: Case) -> None:
    result = toolgrammar.parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
    size = len(result.source)
    for found in result.diagnostics:
        for span in (found.span, *(edit.span for edit in found.edits)):
            if not is_in(span, size):
                broken("places", case, found.code, f"a place in {size} characters", span)
        if found.code not in CODES or not found.message:
            broken("places", case, found.code, "a known code and words", found)
    for call in result.calls:
        if not is_in(call.span, size) or call.span.start == call.span.end:
            broken("places", case, "call", f"a place in {size} characters", call.span)


def is_in(span: Span, size: int) -> bool:
    whole = type(span.start) is type(span.end) is int
    return whole and 0 <= span.start <= span.end <= size


@each_format
def test_what_is_reported_has_its_place(format_id: str) -> None:
    hold(placed, [*cases(format_id), *damaged_cases(format_id)])
