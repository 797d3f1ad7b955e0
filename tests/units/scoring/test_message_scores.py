"""The counts of one message for a score."""

from toolgrammar import parse
from toolgrammar.scoring.message_scores import score_of

CALL = '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'


def test_a_call_that_may_be_a_thought_is_not_lost() -> None:
    found = score_of(parse(f"Perhaps\n{CALL}\n</think>\nNo.", "hermes"), None, None)
    assert (found.lost, found.shares["parsed"]) == ((), (0, 1))
    cut = score_of(parse(f"{CALL}\n<tool_call>\n", "hermes"), None, None)
    assert cut.lost == ("unread-call",)
