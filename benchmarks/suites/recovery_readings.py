"""What each library makes of payloads with one damage each, by class of damage."""

from __future__ import annotations

import json
import random
import sys
from functools import cache, partial
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from harness.damage import CLASSES, is_cut_of
from harness.payloads import payload, schema_of, written
from peers.node import repaired

from toolgrammar import recover_json

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[str, dict[str, Any]], tuple[Any, bool]]
    """Gives the value of a text, and whether the library takes it for sound."""

SEED = 20261121
EACH = 200
"""Damaged payloads of each class."""
OUTCOMES = ("exact", "told", "silent", "crash")
WITH_SCHEMA = "toolgrammar, schema"
OURS = "toolgrammar"
JSONREPAIR = "jsonrepair (npm)"

Mutation = tuple[str, str, Any, dict[str, Any]]
"""Class, damaged text, value that was meant, schema."""


def with_schema(text: str, schema: dict[str, Any]) -> tuple[Any, bool]:
    """Reads with the schema of the tool."""
    found = recover_json(text, schema)
    return found.value, found.executable


def without_schema(text: str, _schema: dict[str, Any]) -> tuple[Any, bool]:
    """Reads without a schema."""
    found = recover_json(text)
    return found.value, found.executable


def _other(read: Callable[[str], Any], text: str, _schema: dict[str, Any]) -> tuple[Any, bool]:
    return read(text), True


def _jiter(module: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return module.from_json(text.encode(), partial_mode="trailing-strings")

    return read


@cache
def peers() -> dict[str, Callable[[str], Any]]:
    """Returns the other libraries that are installed."""
    found: dict[str, Callable[[str], Any]] = {}
    for name, module, read in (
        ("json_repair", "json_repair", lambda m: m.loads),
        ("fast_json_repair", "fast_json_repair", lambda m: m.loads),
        ("partial-json-parser", "partial_json_parser", lambda m: m.loads),
        ("jiter", "jiter", _jiter),
    ):
        try:
            found[name] = read(import_module(module))
        except ImportError:
            print(f"{name} is not installed and left out", file=sys.stderr)
    return found


def versions() -> dict[str, str]:
    """Returns the versions of the libraries that are there."""
    found: dict[str, str] = {}
    for name in ("json_repair", "fast_json_repair", "partial-json-parser", "jiter"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def mutations() -> list[Mutation]:
    """Returns class, damaged text, value that was meant and schema of each."""
    draw = random.Random(SEED)
    found: list[Mutation] = []
    for name, damage in CLASSES.items():
        count = 0
        while count < EACH:
            value = payload(draw)
            text = written(value, draw)
            damaged = damage(text, draw)
            if damaged is None or damaged == text:
                continue
            found.append((name, damaged, value, schema_of(value)))
            count += 1
    return found


def counts() -> list[dict[str, Any]]:
    """Returns a row for each library and class: how many payloads come to each outcome."""
    rows = mutations()
    libraries: dict[str, Reader] = {
        WITH_SCHEMA: with_schema,
        OURS: without_schema,
        **{name: partial(_other, read) for name, read in peers().items()},
    }
    found: dict[tuple[str, str], dict[str, int]] = {}
    for library, reader in libraries.items():
        for row in rows:
            _count(found, library, row[0], _outcome(reader, row))
    answers = repaired([row[1].encode("utf-8", "replace").decode() for row in rows])
    if answers is None:
        print(f"{JSONREPAIR} is not there and left out", file=sys.stderr)
    else:
        for row, answer in zip(rows, answers, strict=True):
            _count(found, JSONREPAIR, row[0], _outcome(partial(_answered, answer), row))
    return [
        {"library": library, "damage": damage, **total}
        for (library, damage), total in found.items()
    ]


def _count(found: dict[tuple[str, str], dict[str, int]], *key_and_outcome: str) -> None:
    library, damage, outcome = key_and_outcome
    found.setdefault((library, damage), dict.fromkeys(OUTCOMES, 0))[outcome] += 1


def _answered(answer: dict[str, Any], _text: str, _schema: dict[str, Any]) -> tuple[Any, bool]:
    if "value" not in answer:
        raise ValueError(answer["error"])
    return answer["value"], True


def _outcome(reader: Reader, row: Mutation) -> str:
    """Returns how a library reads one damaged payload."""
    name, text, value, schema = row
    try:
        found, is_sound = reader(text, schema)
    except ValueError:
        return "told"
    except Exception:
        return "crash"
    is_exact = is_cut_of(found, value) if name == "cut" else _same(found, value)
    if is_exact:
        return "exact"
    return "silent" if is_sound else "told"


def _same(found: Any, value: Any) -> bool:
    """Whether both are equal, with numbers as JavaScript has them too: it writes 1.0 as 1."""
    return json.dumps(found) == json.dumps(value) or json.dumps(_plain(found)) == json.dumps(
        _plain(value)
    )


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(part) for key, part in value.items()}
        case list():
            return [_plain(part) for part in value]
        case float() if value == value // 1 and abs(value) < 1 << 53:
            return int(value)
        case _:
            return value
