"""Tokenizers that carry their vocabulary in a package, as far as they are installed."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Count = Callable[[str], int]
    """Gives the number of tokens of a text."""

WANTED = "pip install 'toolgrammar[bench]'"


def tokenizers() -> tuple[dict[str, Count], list[str]]:
    """Returns the tokenizers that are there, and what is to be said about the others.

    Markup counts as ordinary text: a model whose vocabulary has special tokens for the markup of
    its own format pays less there than these counts say.
    """
    found: dict[str, Count] = {}
    missing: list[str] = []
    for name, package, load in (
        ("o200k", "bpe_openai", _o200k),
        ("tekken", "mistral_common", _tekken),
    ):
        try:
            with warnings.catch_warnings():
                # How the packages open their own files.
                warnings.simplefilter("ignore", DeprecationWarning)
                found[name] = load(import_module(package))
        except ImportError:
            missing.append(f"tokens of {name} are not counted: {WANTED}")
    return found, missing


def _o200k(package: Any) -> Count:
    encoding = package.get_encoding("o200k_base")

    def count(text: str) -> int:
        return len(encoding.encode(text))

    return count


def _tekken(package: Any) -> Count:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    files = (Path(package.__file__).parent / "data").glob("tekken_*.json")
    # The newest of the vocabularies that the package carries.
    tokenizer = Tekkenizer.from_file(max(files, key=lambda path: path.name))

    def count(text: str) -> int:
        # Of the text alone, without the marks at the ends of a sequence.
        return len(tokenizer.encode(text, bos=False, eos=False))

    return count
