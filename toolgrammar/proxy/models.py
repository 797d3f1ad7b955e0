"""Defines the rules for models: in which format each of them writes its calls.

Example: `{"default": "mine", "models": {"big-*": {"format": "yours", "prompt": True}}}` reads
`big-2` in one format, with its tools in the prompt, and every other model in another.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.catalogue.registry import formats
from toolgrammar.values.errors import UnknownFormat, check_type

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KEYS: Final = ("format", "prompt", "prefix", "body", "repair")
_TOP: Final = ("default", "models")
_MOST: Final = 5
"""The maximal number of rules that are shown."""


@dataclass(frozen=True, slots=True)
class ModelRule:
    """The settings for reading the answers of a model."""

    format: str
    """The id or alias of its format, or the path of a `.lark` file."""
    prompt: bool = False
    """Whether its server does not support tools, so that they are written into the prompt."""
    prefix: str = ""
    """The part of the answer that its chat template writes before the model begins."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """Keys that are added to each of its requests, such as `skip_special_tokens`."""
    repair: bool = False
    """Whether broken calls that its server made itself are repaired."""

    def __post_init__(self) -> None:
        """Checks the settings.

        Raises:
            TypeError: one is of another type.
        """
        check_type("format", self.format, str, "an id, an alias or the path of a .lark file")
        check_type("prompt", self.prompt, bool)
        check_type("prefix", self.prefix, str)
        check_type("body", self.body, Mapping, '{"skip_special_tokens": False} is one')
        check_type("repair", self.repair, bool)

    def __str__(self) -> str:
        """Returns a description of the rule."""
        said = [self.format]
        said += ["tools in the prompt"] if self.prompt else []
        said += ["calls of the server repaired"] if self.repair else []
        return ", ".join(said)


class ModelRules:
    """The rules of all models."""

    def __init__(self, models: Mapping[str, ModelRule], default: ModelRule | None = None) -> None:
        """Stores the rules, and looks up all of their formats.

        Args:
            models: the rules by names or by file-name patterns; the first that matches is used.
            default: the rule for all others; None leaves them alone.

        Raises:
            TypeError: a rule is not a `ModelRule`.
            UnknownFormat: a rule names a format that does not exist.
            GrammarError: the grammar of a format is broken.
        """
        check_type("models", models, Mapping, '{"big-*": ModelRule(format)} is one')
        check_type("default", default, (ModelRule, type(None)), "ModelRule(format) makes one")
        self._models = dict(models)
        self._default = default
        for rule in [*self._models.values(), *([default] if default else [])]:
            check_type("a rule", rule, ModelRule, "ModelRule(format) makes one")
            # Compiled now, so that no request waits for it.
            _ = formats.resolve(rule.format).tables

    def __str__(self) -> str:
        """Returns a description of the rules: which models are read in which format."""
        said = [f"{name}: {rule}" for name, rule in self._models.items()]
        # Many rules would not fit into a line.
        if len(said) > _MOST:
            said[_MOST:] = [f"{len(said) - _MOST} more"]
        rest = "left alone" if self._default is None else str(self._default)
        return "; ".join([*said, f"{'other' if said else 'all'} models: {rest}"])

    def __getitem__(self, model: object) -> ModelRule | None:
        """Returns the rule of a model; None if it is left alone."""
        if isinstance(model, str):
            # First as a name, which may contain characters of a pattern, such as `[awq]`.
            if model in self._models:
                return self._models[model]
            for pattern, rule in self._models.items():
                if fnmatchcase(model, pattern):
                    return rule
        return self._default


def read_rules(path: Path, defaults: Mapping[str, Any] | None = None) -> ModelRules:
    """Returns the rules in a TOML file.

    Args:
        path: the file: `default`, and a table `models`; each rule is an id or a table.
        defaults: values of keys, such as `prompt`, for rules that don't set them.

    Raises:
        ValueError: the file has other content; the message says what is wrong.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        try:
            data = tomllib.load(file)
        except tomllib.TOMLDecodeError as problem:
            raise ValueError(f"{path}: {problem}") from None
    _refuse_strangers(f"{path}:", data, _TOP)
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise ValueError(f"{path}: `models` must be a table")  # noqa: TRY004 - the file is wrong
    if not models and "default" not in data:
        raise ValueError(f'{path}: no rules; write `default = "<id>"`, or a table `[models]`')
    rules = {name: _rule(path, name, rule, defaults) for name, rule in models.items()}
    default = data.get("default")
    return ModelRules(rules, None if default is None else _rule(path, "default", default, defaults))


def _rule(path: Path, name: str, said: Any, defaults: Mapping[str, Any] | None) -> ModelRule:
    """Returns the rule for a value in the file: a format's id or a table."""
    given = {"format": said} if isinstance(said, str) else said
    # The keys first: a misspelt `format` is the reason why there is none.
    if isinstance(given, dict):
        _refuse_strangers(f"{path}: {name!r} has an", given, _KEYS)
    if not isinstance(given, dict) or not isinstance(given.get("format"), str):
        raise ValueError(f"{path}: {name!r} must be a format's id, or a table with `format`")  # noqa: TRY004 - the file is wrong
    for key, kind in (("prompt", bool), ("prefix", str), ("body", dict), ("repair", bool)):
        if key in given and not isinstance(given[key], kind):
            raise ValueError(f"{path}: {key!r} of {name!r} must be a {kind.__name__}")
    try:
        formats.resolve(given["format"])
    except UnknownFormat as problem:
        raise ValueError(f"{path}: {name!r}: {problem}") from None
    except OSError as problem:
        reason = f"{given['format']}: {problem.strerror or problem}"
        raise ValueError(f"{path}: {name!r}: {reason}") from None
    return ModelRule(**{**(defaults or {}), **given})


def _refuse_strangers(place: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    # A misspelt key would be ignored silently.
    strangers = given.keys() - set(known)
    if not strangers:
        return
    stranger = min(strangers)
    nearest = get_close_matches(stranger, known, 1)
    said = f"nearest: {nearest[0]!r}; " if nearest else ""
    raise ValueError(f"{place} unknown key {stranger!r}; {said}known: {', '.join(known)}")
