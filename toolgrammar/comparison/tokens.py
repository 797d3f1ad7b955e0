"""Counts tokens: with the tokenizers that are installed, or with that of a model, from its file.

A model that is trained on a format may have a token for each of its markers, such as `<tool_call>`;
`count_marked` counts each as one, `count` counts the text that it is.
"""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.catalogue.format import Format

    Count = Callable[[str], int]
    """Returns the number of tokens of a text."""

WANTED: Final = "pip install 'toolgrammar[bench]'"
_MARKER: Final = re.compile(r"<[^<>\s=]+>|\[/?[A-Z][A-Z_]+\]")
"""A marker that may be one token of a vocabulary: a tag without attributes, or a word in brackets."""
_SPECIAL: Final = re.compile(r"<[|\uff5c][\w\u2581]+[|\uff5c]>")


class Tokenizer:
    """A way to count tokens."""

    def __init__(self, name: str, count: Count, path: Path | None = None) -> None:
        self.name = name
        self.count = count
        self._path = path

    def count_marked(self, text: str, marks: re.Pattern[str] | None) -> int:
        """Returns the tokens of a text in which each marker is one."""
        if marks is None or self.name == CHARACTERS:
            return self.count(text)
        pieces = marks.split(text)
        # Empty pieces are omitted: some tokenizers count a token for an empty text.
        return len(pieces) - 1 + sum(self.count(piece) for piece in pieces if piece)

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[object, ...]]:
        # The counting function can't be pickled; the other process loads the tokenizer again.
        if self._path is not None:
            return from_file, (self._path,)
        return _named, (self.name,)


CHARACTERS: Final = "characters"
_INSTALLED: Final = {"o200k": "bpe_openai", "tekken": "mistral_common"}


def installed() -> tuple[dict[str, Tokenizer], list[str]]:
    """Returns the tokenizers that are installed, and a message for each that is not."""
    found = {CHARACTERS: _named(CHARACTERS)}
    missing: list[str] = []
    for name in _INSTALLED:
        try:
            found[name] = _named(name)
        except ImportError:
            missing.append(f"tokens of {name} are not counted: {WANTED}")
    return found, missing


@cache  # once a process: it takes seconds
def from_file(path: Path) -> Tokenizer:
    """Returns the tokenizer of a file `tokenizer.json` of Hugging Face.

    Special tokens, which were added to its vocabulary, are ignored: text is counted as ordinary text,
    so that formats with and without special tokens are comparable.

    Raises:
        ImportError: the package tokenizers is not installed.
        ValueError: the file contains no such tokenizer.
        OSError: the file can't be read.
    """
    try:
        from tokenizers import Tokenizer as Library
    except ImportError:
        message = "a file of a tokenizer needs tokenizers: pip install 'toolgrammar[bench]'"
        raise ImportError(message, name="tokenizers") from None
    data = path.read_bytes()
    try:
        value = json.loads(data)
        inner = Library.from_str(json.dumps({**value, "added_tokens": []}))
    # The library raises plain `Exception` for what it can't read.
    except Exception as error:
        raise ValueError(f"{path}: not a tokenizer.json: {error}") from error

    def count(text: str) -> int:
        return len(inner.encode(text, add_special_tokens=False).ids)

    return Tokenizer(path.stem if path.stem != "tokenizer" else path.parent.name, count, path)


def markers(form: Format) -> re.Pattern[str] | None:
    """Returns what finds the fixed markers of a format, such as `<tool_call>`; None without any."""
    found: set[str] = set()
    for terminal in form.tables.terminals:
        if terminal.kind == "literal":
            found.update(_MARKER.findall(terminal.text))
        else:
            # A marker with white space or words after it is a pattern, not a literal.
            found.update(_SPECIAL.findall(terminal.pattern.replace("\\", "")))
    return (
        re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))))
        if found
        else None
    )


@cache
def _named(name: str) -> Tokenizer:
    if name == CHARACTERS:
        return Tokenizer(name, len)
    with warnings.catch_warnings():
        # The packages open their own files in a deprecated way.
        warnings.simplefilter("ignore", DeprecationWarning)
        package = import_module(_INSTALLED[name])
        return Tokenizer(name, {"o200k": _o200k, "tekken": _tekken}[name](package))


def _o200k(package: Any) -> Count:
    encoding = package.get_encoding("o200k_base")

    def count(text: str) -> int:
        return len(encoding.encode(text))

    return count


def _tekken(package: Any) -> Count:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    files = (Path(package.__file__).parent / "data").glob("tekken_*.json")
    # The newest of the vocabularies in the package.
    tokenizer = Tekkenizer.from_file(max(files, key=lambda path: path.name))

    def count(text: str) -> int:
        # Only the text, without the tokens that begin and end a sequence.
        return len(tokenizer.encode(text, bos=False, eos=False))

    return count
