"""The members of arguments are found in their text only where each says what was read."""

import pytest

from toolgrammar.core.calls.places import members_of

CUT = '{"a": 1, "b": 2, "c": "Os'


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        ({"a": 1, "b": 2, "c": "Os"}, ["a", "b", "c"]),
        # The text ended in the last value, so nothing is asked of it.
        ({"a": 1, "b": 2, "c": "Oslo"}, ["a", "b", "c"]),
        ({"a": 1, "b": 3, "c": "Os"}, None),
        ({"a": 4, "b": 2, "c": "Os"}, None),
    ],
)
def test_all_but_the_last_value_of_a_cut_text_are_compared(
    arguments: dict[str, object], keys: list[str] | None
) -> None:
    found = members_of(CUT, arguments, whole=False)
    assert (None if found is None else [each.key for each in found]) == keys
