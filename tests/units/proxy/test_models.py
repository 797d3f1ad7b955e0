"""The file with a format for each model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgrammar import UnknownFormat
from toolgrammar.proxy.models import ModelRule, ModelRules, read_rules

if TYPE_CHECKING:
    from pathlib import Path

FILE = """
default = "hermes"

[models]
"Qwen/Qwen3-Coder*" = "qwen3_xml"
"kimi-k2" = { format = "kimi_k2", prompt = true, body = { skip_special_tokens = false } }
"kimi-*" = { format = "kimi_k2", prefix = "<think>" }
"""


def test_the_first_pattern_that_fits_counts_and_a_name_before_all(tmp_path: Path) -> None:
    path = tmp_path / "formats.toml"
    path.write_text(FILE)
    rules = read_rules(path)
    assert rules["Qwen/Qwen3-Coder-30B"] == ModelRule("qwen3_xml")
    assert rules["kimi-k2"] == ModelRule(
        "kimi_k2", prompt=True, body={"skip_special_tokens": False}
    )
    assert rules["kimi-k2.5"] == ModelRule("kimi_k2", prefix="<think>")
    assert rules["other"] == rules[None] == rules[3] == ModelRule("hermes")
    assert read_rules(path, {"prompt": True})["other"] == ModelRule("hermes", prompt=True)


def test_without_a_default_other_models_have_no_rule() -> None:
    assert ModelRules({"a": ModelRule("hermes")})["b"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("default = [", "formats.toml"),
        ("format = 'hermes'", "unknown key 'format'"),
        ("", "formats.toml: no rules; write `default = "),
        ("# none\n[models]", "formats.toml: no rules"),
        ("models = 3", "must be a table"),
        ("defualt = 'hermes'", "formats.toml: unknown key 'defualt'; nearest: 'default'; known: "),
        ("default = 'herms'", "formats.toml: 'default': unknown format 'herms'; nearest: 'hermes'"),
        ("[models]\na = 'herms'", "formats.toml: 'a': unknown format 'herms'; nearest: 'hermes'"),
        ("[models]\na = 'missing.lark'", "formats.toml: 'a': missing.lark: No such file"),
        ("[models]\na = 3", "'a' must be a format's id"),
        ("[models]\na = { prompt = true }", "'a' must be a format's id"),
        ("[models]\na = { formt = 'hermes' }", "unknown key 'formt'; nearest: 'format'"),
        (
            "[models]\na = { format = 'hermes', promt = true }",
            "'a' has an unknown key 'promt'; nearest: 'prompt'; known: ",
        ),
        ("[models]\na = { format = 'hermes', prompt = 'yes' }", "'prompt' of 'a' must be a bool"),
    ],
)
def test_a_mistake_in_the_file_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "formats.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said):
        read_rules(path)


def test_rules_say_in_a_line_what_they_are() -> None:
    assert str(ModelRules({}, ModelRule("hermes"))) == "all models: hermes"
    few = ModelRules({"a": ModelRule("react", prompt=True)})
    assert str(few) == "a: react, tools in the prompt; other models: left alone"
    many = ModelRules({f"m{at}": ModelRule("hermes") for at in range(9)})
    assert str(many).endswith("m4: hermes; 4 more; other models: left alone")


def test_an_unknown_format_is_told_before_any_request() -> None:
    with pytest.raises(UnknownFormat):
        ModelRules({"a": ModelRule("no_such_format")})
