"""Each row is read as it says, but for those that are malformed.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

import pytest

from tests.laws.every_case import FORMAT_IDS, cases, hold, row_cases
from toolgrammar import formats
from toolgrammar.testing import Case, laws

_NO_PREFIX = "the prompt opened the reasoning, and the row does not say so"
REJECTED = {
    "cohere_command4-llamacpp-cohere2moe-1": _NO_PREFIX,
    "cohere_command4-llamacpp-cohere2moe-2": _NO_PREFIX,
    "cohere_command4-llamacpp-cohere2moe-8": _NO_PREFIX,
    "glm45-vllm-test_stream_interval_content_between_tool_calls_1": "drops text between calls",
    "glm45-vllm-test_streaming_content_between_tool_calls_multi_token-2": "drops text between calls",
    "seed_oss-vllm-test_streaming_tool_calls_tool_call_0_thinking_budget": (
        "wants the reasoning's opener as text, another row of the format as markup"
    ),
    "step3-smg-step3_parameter_with_angle_brackets-8": "drops an argument that the wire has",
}
"""Rows that contradict the rules, or other rows, with the reason."""


def _asserted(format_id: str) -> list[Case]:
    return [case for case in row_cases(format_id, malformed=False) if case.id not in REJECTED]


@pytest.mark.parametrize("format_id", [each for each in FORMAT_IDS if _asserted(each)])
def test_expected(format_id: str) -> None:
    hold(laws.expected, _asserted(format_id))


def test_rejected_rows_are_read_otherwise() -> None:
    found = [case for each in formats for case in cases(each) if case.id in REJECTED]
    if not found:
        pytest.skip("this checkout has no rows of other projects")
    for case in found:
        with pytest.raises(AssertionError):
            laws.expected(case)
