"""Ids that a section makes for calls that have none are name-based UUIDs."""

import uuid

import pytest

from toolgrammar.core.message.groups import generated_id


@pytest.mark.parametrize(
    ("seed", "index", "text"), [("", 0, "<f/>"), ("s", 0, "<f/>"), ("s", 12, "<f/>"), ("s", 0, "é")]
)
def test_an_id_is_the_one_that_the_standard_library_makes(seed: str, index: int, text: str) -> None:
    wanted = uuid.uuid5(uuid.NAMESPACE_URL, f"{seed}\0{index}\0{text}")
    assert generated_id(seed, index, text) == str(wanted)


def test_half_a_surrogate_pair_has_an_id() -> None:
    assert uuid.UUID(generated_id("", 0, "\ud83d")).version == 5
