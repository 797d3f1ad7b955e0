"""A fast way of reading that failed for a while is found again once messages are sound."""

from toolgrammar import parse
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.machine.retry_budget import CREDIT, PAUSE, RetryBudget
from toolgrammar.parsing.machines import machine_of


def test_tries_become_rare_and_never_end() -> None:
    patience = RetryBudget()
    tried = []
    for number in range(CREDIT + 5 * PAUSE):
        if patience.tries():
            tried.append(number)
            patience.failed()
    assert tried[:CREDIT] == list(range(CREDIT))
    assert len(tried) == CREDIT + 5


def test_damaged_messages_do_not_slow_the_sound_ones_for_good() -> None:
    tools = [{"name": "patient_tool", "parameters": {"type": "object", "properties": {}}}]
    sound = '<tool_call>\n{"name": "patient_tool", "arguments": {"a": "b"}}\n</tool_call>'
    machine = machine_of(formats["hermes"], {})
    for _ in range(CREDIT + 2):
        assert not parse(sound[:-20], "hermes", tools=tools).ok
    assert machine.whole_budget.left <= 0
    for _ in range(4 * PAUSE):
        assert parse(sound, "hermes", tools=tools).ok
    assert machine.whole_budget.left == CREDIT
