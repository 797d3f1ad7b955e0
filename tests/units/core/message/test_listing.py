"""Of each code so many diagnostics are listed; one more counts the rest."""

from collections import Counter

import toolgrammar
from toolgrammar.core.message.listing import Listing
from toolgrammar.values.diagnostics import Diagnostic, Severity
from toolgrammar.values.limits import MOST_LISTED
from toolgrammar.values.spans import Span

DAMAGE = '<tool_call>\n{"name": "f", "arguments": {"a": "x' + '"\n' * 1000 + '"}}\n</tool_call>'
STRAYS = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' + "\n</tool_call>" * 700


def found(code: str, severity: Severity = "warning", at: int = 0) -> Diagnostic:
    return Diagnostic(code, severity, "", Span(at, at + 1))


def test_the_rest_is_counted_with_its_worst_severity() -> None:
    listing = Listing()
    for at in range(MOST_LISTED + 10):
        listing.add(found("comma", "error" if at == MOST_LISTED + 3 else "info", at))
    (rest,) = listing.end()
    assert (rest.code, rest.severity) == ("comma", "error")
    assert "10 more" in rest.message
    assert rest.span == Span(MOST_LISTED, MOST_LISTED + 10)
    assert listing.end() == []


def test_a_checkpoint_takes_back_what_was_only_counted_too() -> None:
    listing = Listing()
    for at in range(MOST_LISTED + 1):
        listing.add(found("comma", at=at))
    checkpoint = listing.checkpoint()
    assert not listing.add(found("comma"))
    assert listing.add(found("colon"))
    listing.rewind(checkpoint)
    assert "Found 1 more" in listing.end()[0].message


def test_room_that_was_taken_back_is_free_again() -> None:
    listing = Listing()
    checkpoint = listing.checkpoint()
    for _ in range(MOST_LISTED):
        listing.add(found("comma"))
    listing.rewind(checkpoint)
    assert listing.add(found("comma"))
    assert listing.end() == []


def test_a_message_lists_so_many_and_says_the_same_in_pieces() -> None:
    for text, code in ((DAMAGE, "inner-quote"), (STRAYS, "stray-close-tag")):
        whole = toolgrammar.parse(text, format="hermes")
        codes = Counter(each.code for each in whole.diagnostics)
        assert codes[code] == MOST_LISTED + 1
        parser = toolgrammar.Parser("hermes")
        events = [
            event for at in range(0, len(text), 7) for event in parser.feed(text[at : at + 7])
        ]
        events += parser.close()
        told = [each.diagnostic for each in events if isinstance(each, toolgrammar.Problem)]
        assert sorted(map(str, told)) == sorted(map(str, whole.diagnostics))
        assert parser.result.diagnostics == whole.diagnostics


def test_recovered_json_lists_so_many() -> None:
    diagnostics = toolgrammar.recover_json("[" + "1,," * 2000 + "2]").diagnostics
    assert max(Counter(each.code for each in diagnostics).values()) == MOST_LISTED + 1
