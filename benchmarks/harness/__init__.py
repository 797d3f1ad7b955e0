"""What the scripts share: their options and their tables; `rounds` has the one timing loop."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from toolgrammar.cli.bench.report import machine


def options(about: str | None, *, rounds: int) -> argparse.Namespace:
    """Returns the options that every script takes."""
    return options_of(about, rounds=rounds).parse_args()


def options_of(about: str | None, *, rounds: int) -> argparse.ArgumentParser:
    """Returns the parser of these options, for a script that has more."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help="the least of so many is kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser


def report(rows: list[dict[str, object]], file: Path | None) -> None:
    """Prints the figures as a table, below what they were measured on; writes them if wanted."""
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(_shown(row[column]) for column in columns) + " |")
    if file is not None:
        text = json.dumps({"machine": about, "rows": rows}, indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return str(value)
