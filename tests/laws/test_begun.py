"""Where a cut text tells of a begun call, every longer one does: up to the call's end."""

import toolgrammar
from tests.laws.every_case import each_format, hold, page_cases
from toolgrammar.testing import Case
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.readings import places

LONGEST = 400
PLACES = at_depth(few=30, usual=60, every=60)
"""Characters of an example that is cut, and how many of its places are tried."""


def told_to_the_end(case: Case) -> None:
    """Holds that no more text makes a call unsaid again.

    A call is told of by itself, or by an error that reaches into its text.
    """
    whole = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
    for index, call in enumerate(whole.calls if whole.ok else ()):
        told = ""
        size = call.span.end - call.span.start
        for end in (call.span.start + at for at in places(size, PLACES)):
            text = case.text[:end]
            cut = toolgrammar.parse(text, case.format, tools=case.tools, prefix=case.prefix)
            errors = [each for each in cut.diagnostics if each.severity == "error"]
            here = [each.code for each in errors if each.span.end >= call.span.start]
            if len(cut.calls) > index or "truncated" in here:
                told = text
            assert here or len(cut.calls) > index or not told, (case.id, told, text)


@each_format
def test_a_begun_call_stays_told(format_id: str) -> None:
    # Without tools a name is a word; what lacks its closer is text where a page says so.
    if toolgrammar.formats[format_id].header.unclosed == "text":
        return
    cases = [case for case in page_cases(format_id) if case.tier != "malformed"]
    hold(told_to_the_end, [case for case in cases if case.tools and len(case.text) <= LONGEST])
