"""Makes the attacks from seeds, so that everyone can run them: no coverage, no Atheris.

`python -m fuzz.seeded [ATTACK …] [--attempts N] [--formats a,b] [--seed S]`: so many attempts of
each attack on each format. What breaks is counted by format, with its first text, and left in
`fuzz/found/ATTACK.jsonl`. The same seed makes the same attempts.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path

import toolgrammar
from fuzz.attacks import ATTACKS

FOUND = Path(__file__).parent / "found"
_SHOWN = 400


def main() -> int:
    """Makes the attempts, prints what broke, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", default=list(ATTACKS), help=", ".join(ATTACKS))
    parser.add_argument("--attempts", type=int, default=40, help="of an attack on a format")
    parser.add_argument("--formats", default=",".join(sorted(toolgrammar.formats)))
    parser.add_argument("--seed", default="")
    given = parser.parse_args()
    if unknown := set(given.attacks) - set(ATTACKS):
        attacks = ", ".join(ATTACKS)
        parser.error(f"no attack is called {min(unknown)}: {attacks}; formats go to --formats")
    formats = [toolgrammar.formats[each].id for each in given.formats.split(",")]
    return max(_attack(each, formats, given.attempts, given.seed) for each in given.attacks)


def _attack(name: str, formats: list[str], attempts: int, seed: str) -> int:
    """Makes the attempts of one attack; gives 1 where one broke a promise."""
    made: Counter[str] = Counter()
    broken: dict[str, list[tuple[str, str]]] = {}
    for format_id in formats:
        for attempt in range(attempts):
            draw = random.Random(f"{seed} {name} {format_id} {attempt}")
            found = ATTACKS[name](format_id, draw)
            made[format_id] += bool(found.text)
            if found.broke:
                broken.setdefault(format_id, []).append((found.text, found.broke))
    count = sum(map(len, broken.values()))
    print(f"{name}: {made.total()} attempts on {len(+made)} formats, {count} broke a promise")
    for format_id, each in sorted(broken.items(), key=lambda item: -len(item[1])):
        print(f"  {format_id}: {len(each)} of {made[format_id]}\n    {each[0][1]:.{_SHOWN}}")
        print(f"    {each[0][0][:_SHOWN]!r}")
    if broken:
        FOUND.mkdir(exist_ok=True)
        with (FOUND / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            for format_id, each in broken.items():
                for text, why in each:
                    row = {"format": format_id, "text": text, "broke": why}
                    file.write(json.dumps(row, ensure_ascii=True) + "\n")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
