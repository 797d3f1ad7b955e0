"""How often is a damaged message read as it was meant, and how often does a wrong call run?

Valid messages of every format are damaged in one place each, drawn from a seed: in their markup,
in the JSON of their arguments, and in the JSON object round name and arguments. *Exact* is a
message whose calls have the names and arguments that were meant, all of them and no other. *Wrong*
is one in which a call may be executed that was not meant so: another value, or a call that was
only quoted in a string. What is neither is told: the call is truncated, doubtful or text.

Damages that change a value and leave the structure sound (a letter dropped in a string) are not
among them: nobody can see those. For a message that is cut off, and for one that quotes a call,
*exact* asks for whole calls as they were meant, and of the cut call for its name, and members that
are exact but for the last string, which is a prefix.

The last table cuts valid arguments at every place: status, members and the cut string.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from harness import options, report
from harness.damage import CLASSES, is_cut_of
from harness.message_damage import (
    MARKUP,
    Damaged,
    Message,
    deed,
    message,
    of_arguments,
    of_envelope,
    quoting,
)
from harness.payloads import payload, written

import toolgrammar
from toolgrammar import recover_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgrammar import ParseResult

SEED = 20261121
EACH = 3
"""Damaged messages of each class and format."""
MESSAGES = 12
"""Valid messages of each format."""
CUT_PAYLOADS = 200


def classes() -> dict[str, Callable[[Message, random.Random], str | None]]:
    """Returns the damages by name."""
    found = dict(MARKUP)
    for name in CLASSES:
        found[f"arguments: {name}"] = partial(of_arguments, name)
        found[f"envelope: {name}"] = partial(of_envelope, name)
    return found


def mutations(format_id: str) -> Iterator[Damaged]:
    """Yields damaged messages of one format."""
    draw = random.Random(f"{SEED} {format_id}")
    drawn = [each for _ in range(MESSAGES) if (each := message(format_id, draw)) is not None]
    for name, damage in classes().items():
        draw = random.Random(f"{SEED} {format_id} {name}")
        count = 0
        for given in drawn:
            damaged = damage(given, draw)
            if damaged and damaged != given.text and count < EACH:
                count += 1
                yield Damaged(name, given, damaged)
    draw = random.Random(f"{SEED} {format_id} quoted")
    for given in drawn:
        found = quoting(given, draw)
        if found:
            yield found


def outcome(row: Damaged) -> str:
    """Returns how one damaged message is read."""
    meant = row.message
    result = toolgrammar.parse(
        row.text,
        format=meant.format,
        tools=meant.tools,
        finish_reason="length" if row.is_cut else None,
    )
    wanted = [deed(call) for call in meant.calls]
    runs = [call for call in result.calls if call.executable]
    if any(deed(call) not in wanted or call.name in row.forbidden for call in runs):
        return "wrong"
    if len({deed(call) for call in runs}) < len(runs) and len(set(wanted)) == len(wanted):
        return "wrong"  # one call twice
    if row.forbidden:
        return "exact" if _is_cut(result, meant) else "told"
    return "exact" if [deed(call) for call in result.calls] == wanted else "told"


def _is_cut(result: ParseResult, meant: Message) -> bool:
    """Whether the calls are those that were meant, but for what a cut took of the last."""
    if len(result.calls) > len(meant.calls):
        return False
    for found, wanted in zip(result.calls, meant.calls, strict=False):
        if found.status == "truncated":
            if found.name != wanted.name or not is_cut_of(found.arguments, wanted.arguments):
                return False
        elif deed(found) != deed(wanted):
            return False
    return True


def _rows(counts: dict[str, Counter[str]], head: str) -> list[dict[str, object]]:
    found = []
    for name, each in counts.items():
        total = sum(each.values())
        shares = {key: 100 * each[key] / total for key in ("exact", "told", "wrong")}
        found.append({head: name, "messages": total, **shares})
    return found


def cuts() -> list[dict[str, object]]:
    """Returns what is wrong in the views of valid payloads that are cut at every place."""
    draw = random.Random(SEED)
    wrong: Counter[str] = Counter()
    places = 0
    for _ in range(CUT_PAYLOADS):
        value = payload(draw)
        text = written(value, draw)
        for end in range(1, len(text)):
            found = recover_json(text[:end])
            places += 1
            wrong["not truncated"] += found.status != "truncated" or found.executable
            wrong["members or prefix wrong"] += not is_cut_of(found.value, value)
    return [{"cuts": places, **{key: wrong[key] for key in sorted(wrong)}}]


def main() -> None:
    """Prints the tables: in all, by class, by format, and the cuts."""
    given = options(__doc__, rounds=1)
    by_class: dict[str, Counter[str]] = {}
    by_format: dict[str, Counter[str]] = {}
    for format_id in sorted(toolgrammar.formats):
        for row in mutations(format_id):
            result = outcome(row)
            by_class.setdefault(row.name, Counter())[result] += 1
            by_format.setdefault(format_id, Counter())[result] += 1
    total = sum(by_class.values(), Counter())
    report(_rows({"all": total}, "damage"), given.json)
    print()
    report(_rows(dict(sorted(by_class.items())), "damage"), None)
    print()
    report(_rows(by_format, "format"), None)
    print()
    report(cuts(), None)
    print(json.dumps({"goal": "exact ≥ 96 %, wrong ≤ 0.5 %"}, ensure_ascii=False))


if __name__ == "__main__":
    main()
