"""Writes the measurements of a suite as JSON and Markdown, with the machine they were made on.

The figures 0.123, 12.34 and 1234.56 are written as `0.12`, `12.3` and `1,235`.
"""

from __future__ import annotations

import json
import math
import os
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.version import is_compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_NONE = "\u2013"


def machine() -> dict[str, str]:
    """Returns on what the run is made."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "core": "compiled" if is_compiled() else "Python",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "processors": str(os.cpu_count()),
    }


def _processor() -> str:
    """Returns the processor's name where the system tells it."""
    try:
        # Linux has it there; `platform` often says no more than the architecture.
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def write_suite(
    folder: Path,
    name: str,
    title: str,
    about: Mapping[str, object],
    figures: Mapping[str, object],
    sections: Sequence[str],
) -> None:
    """Writes the figures of a suite as JSON and its tables as Markdown, both under one name."""
    write_figures(folder / f"{name}.json", about, figures)
    write_page(folder / f"{name}.md", title, about, sections)


def write_figures(path: Path, about: Mapping[str, object], parts: Mapping[str, object]) -> None:
    """Writes the figures of a suite as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_finite({"machine": about, **parts}), indent=1, ensure_ascii=False)
    # The same bytes on every system.
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _finite(value: Any) -> Any:
    """Returns a value with `null` for what took too long: JSON has no infinity."""
    match value:
        case float() if math.isinf(value):
            return None
        case dict():
            return {key: _finite(part) for key, part in value.items()}
        case list() | tuple():
            return [_finite(part) for part in value]
        case _:
            return value


def write_page(
    path: Path, title: str, about: Mapping[str, object], sections: Sequence[str]
) -> None:
    """Writes the tables of a suite as Markdown."""
    measured = ", ".join(f"{name} {value}" for name, value in about.items())
    text = "\n\n".join((f"# {title}", f"Measured on: {measured}.", *sections))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table in Markdown; all columns but the first stand to the right."""
    lines = [
        "| " + " | ".join(headings) + " |",
        "|---|" + "---:|" * (len(headings) - 1),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines)


def number(value: object) -> str:
    """Returns a figure rounded to its meaningful digits; a dash if there is none."""
    match value:
        case None:
            return _NONE
        # Before the integers, which booleans are as well.
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float() if value == float("inf"):
            return "∞"
        case float():
            return (
                f"{value:,.0f}"
                if value >= 100
                else f"{value:.1f}"
                if value >= 10
                else f"{value:.2f}"
            )
        case _:
            return str(value)


def percent(value: Any) -> str:
    """Returns a share in percent; a dash if there is none."""
    return _NONE if value is None else f"{value * 100:.0f} %"
