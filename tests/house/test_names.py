"""Names: what is public resolves, what is private does not shadow it, formats stay data."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolgrammar
from tests.house.checkout import PACKAGE, format_ids, modules, nodes_of

# Public names of the design, whether they are built yet or not.
RESERVED = {
    "any_of", "astream", "batch", "detect", "formats", "load_format", "parse", "recover_json",
    "stream", "translate",
}  # fmt: skip

# Where examples have to name a format: other projects' shapes, and the table of codes.
EXEMPT = ("interop/", "values/codes.py")

# Ids that are also everyday words: in prose they count only in quotes, or as `format=…`.
EVERYDAY_WORDS = {"bolt", "dots", "granite", "harmony", "pythonic", "react"}


@pytest.mark.parametrize("name", toolgrammar.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(toolgrammar, name) is not None


def test_public_names_are_listed_once_and_by_dir() -> None:
    assert len(set(toolgrammar.__all__)) == len(toolgrammar.__all__)
    assert set(toolgrammar.__all__) <= set(dir(toolgrammar))


def test_unknown_attribute_says_so() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(toolgrammar, "no_such_name")  # noqa: B009


def test_no_module_bears_a_public_name() -> None:
    """Importing `toolgrammar.formats` would rebind the mapping of that name to the module."""
    paths = [path.relative_to(PACKAGE).with_suffix("") for path in modules()]
    public = RESERVED | set(toolgrammar.__all__)
    assert paths
    found = [str(path) for path in paths if path.parts[0] in public]
    assert not found, f"give these another name: {found}"


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _names_format(text: str, format_id: str) -> bool:
    word = re.escape(format_id)
    if text == format_id:
        return True
    if format_id in EVERYDAY_WORDS:
        return re.search(rf"""["'`=]{word}["'`.]""", text) is not None
    return re.search(rf"(?<!\w){word}(?!\w)", text) is not None


def test_no_string_names_a_format() -> None:
    """A format that needs Python means that the core lacks a concept; docstrings count too."""
    any_id = re.compile("|".join(map(re.escape, format_ids())))
    names = {path: path.relative_to(PACKAGE).as_posix() for path in modules()}
    read = [path for path, name in names.items() if not name.startswith(EXEMPT)]
    assert read
    found = [
        f"{names[path]}, line {line}: {format_id}"
        for path in read
        for line, text in _strings(path)
        if any_id.search(text)
        for format_id in format_ids()
        if format_id in text and _names_format(text, format_id)
    ]
    assert not found, f"say it in terms that every format may use: {found}"


@pytest.mark.parametrize(
    ("text", "format_id", "names_it"),
    [
        ("hermes", "hermes", True),
        ("like 'hermes' here", "hermes", True),
        ("They react to text", "react", False),
        ("read it with format=react.", "react", True),
        ("see kimi_k2 for this", "kimi_k2", True),
        ("kimi_k25", "kimi_k2", False),
    ],
)
def test_what_counts_as_naming_a_format(text: str, format_id: str, *, names_it: bool) -> None:
    assert _names_format(text, format_id) is names_it
