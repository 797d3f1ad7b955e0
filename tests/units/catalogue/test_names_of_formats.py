"""Every name that people use for a format leads to it, and so do the models that speak it."""

import pytest

import toolgrammar
from tests.units.catalogue.names_of_formats import (
    AGENTS,
    MODELS,
    SAME,
    SERVING,
    SGLANG,
    VLLM,
)

NAMES = {name for names in (SERVING, AGENTS, VLLM, SGLANG) for name in names.split()}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_name_leads_to_a_format(name: str) -> None:
    found = toolgrammar.formats[name]
    spelled = {each.replace("-", "_").casefold() for each in (found.id, *found.aliases)}
    assert name.replace("-", "_").casefold() in spelled


@pytest.mark.parametrize("names", SAME, ids=lambda names: names[0])
def test_names_of_one_wire_lead_to_one_format(names: tuple[str, ...]) -> None:
    assert {toolgrammar.formats[name].id for name in names} == {toolgrammar.formats[names[0]].id}


@pytest.mark.parametrize("model", MODELS)
def test_a_model_leads_to_the_format_it_speaks(model: str) -> None:
    assert toolgrammar.formats.for_model(model).id == toolgrammar.formats[MODELS[model]].id


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-oss-20b", "harmony"),
        ("/models/Qwen/Qwen3-8B", "hermes"),
        ("someone/Qwen3-Coder-30B-A3B-Instruct-GGUF", "qwen3_xml"),
    ],
)
def test_a_copy_of_a_model_is_found_by_its_own_name(model: str, name: str) -> None:
    assert toolgrammar.formats.for_model(model).id == name


def test_every_format_has_a_family() -> None:
    assert [fmt.id for fmt in toolgrammar.formats.values() if not fmt.family] == []
