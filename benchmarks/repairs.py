"""What would be lost without each repair?

A repair is a diagnostic with edits. Read are the examples of all pages, the rows of `tests/cases/own.jsonl`
(with `--rows FOLDER` also those of its JSON lines), sound messages with one to three characters
damaged (`--damaged N` of each format), and with `--data PATH` recorded messages, as `recorded.py`
takes them. For each code:

- *examples*, *damaged*, *recorded*: messages in which a call has the repair.
- *right*: of the calls with it, those that are what was meant: what the example or row expects, what
  the sound message says, what the recorded message's own source read. They would be lost.
- *run*: of these, those that may be executed. The others are shown with a doubt.
- *wrong, run*: calls with it that may be executed and are not what was meant.

A repair with few right calls and some wrong ones costs more than it gives. Example: without
`quote-style`, `{'city': 'Oslo'}` would be no arguments. `--page FILE` writes the table into a page.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.truths import judged, truth_of
from recorded import messages

import toolgrammar
from tests.laws.every_case import every_page_case
from toolgrammar.testing import Case, cases_of_jsonl
from toolgrammar.testing.small_damage import markup_of, small_damage
from toolgrammar.values.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolgrammar import ParseResult, ToolCall

    Judge = Callable[[ToolCall], bool]

ROOT = Path(__file__).parents[1]
SEED = 20261123
COLUMNS = ("examples", "damaged", "recorded", "right", "run", "wrong, run")


@dataclass(frozen=True, slots=True)
class Text:
    """A message, where it is from, and how to tell that one of its calls is what was meant."""

    origin: str
    case: Case
    is_right: Judge


def _deed(call: ToolCall) -> tuple[str, Any]:
    """What a call would do: its name and its arguments, whatever way they were written."""
    return call.name, call.arguments or call.input


def _as_expected(case: Case) -> Judge:
    wanted = [(each["name"], each.get("arguments") or each.get("input")) for each in case.calls]
    return lambda call: _deed(call) in wanted or (call.name, call.input) in wanted


def examples(rows: Path | None) -> Iterator[Text]:
    """Yields the examples of pages, the project's own rows, and those of another folder."""
    found = [case for name in sorted(toolgrammar.formats) for case in every_page_case(name)]
    files = [ROOT / "tests" / "cases" / "own.jsonl"]
    files += (
        sorted(each for each in rows.glob("*.jsonl") if each.name != "json.jsonl") if rows else []
    )
    for path in files:
        found += [case for case in cases_of_jsonl(path) if case.format in toolgrammar.formats]
    for case in found:
        yield Text("examples", case, _as_expected(case))


def damaged(attempts: int) -> Iterator[Text]:
    """Yields sound examples with small damage, whose calls should be those of the sound ones."""
    for name in sorted(toolgrammar.formats):
        sound = [
            (case, _markup(case)) for case in every_page_case(name) if case.tier == "well_formed"
        ]
        sound = [each for each in sound if each[1]]
        for attempt in range(attempts if sound else 0):
            draw = random.Random(f"{SEED} {name} {attempt}")
            case, markup = draw.choice(sound)
            text = small_damage(case.text, markup, draw)
            one = Case(
                id=case.id, format=case.format, text=text, prefix=case.prefix, tools=case.tools
            )
            yield Text("damaged", one, _as_expected(case))


def _markup(case: Case) -> list[int]:
    """Returns the places of the markup of the calls in a sound text."""
    result = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
    return markup_of(case.text, result.calls)


def recorded(path: Path) -> Iterator[Text]:
    """Yields recorded messages whose source says what it read."""
    for row in messages(path):
        truth = truth_of(row)
        truth = truth and judged(truth, row)[0]
        if truth is None:
            continue
        calls = truth.calls
        case = Case(
            id=row["id"],
            format=row["format"] or "auto",
            text=row["text"],
            prefix=row.get("prefix", ""),
            tools=row["tools"],
        )
        yield Text(
            "recorded", case, lambda call, calls=calls: any(each.is_done_by(call) for each in calls)
        )


def repairs_of(result: ParseResult, call: ToolCall) -> set[str]:
    """Returns the codes of the repairs that lie in a call, or that it is doubted for."""
    return {
        each.code
        for each in result.diagnostics
        if each.edits and each.span.start <= call.span.end and each.span.end >= call.span.start
    }


def weigh(texts: Iterable[Text]) -> dict[str, Counter[str]]:
    """Returns what each repair did in some texts."""
    table: dict[str, Counter[str]] = {}
    for number, text in enumerate(texts):
        if number % 5000 == 4999:
            print(f"{number + 1:,} messages", file=sys.stderr)
        case = text.case
        result = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
        met: set[str] = set()
        for call in result.calls:
            right = text.is_right(call)
            for code in repairs_of(result, call):
                counts = table.setdefault(code, Counter())
                counts["right"] += right
                counts["run"] += right and call.executable
                counts["wrong, run"] += call.executable and not right
                met.add(code)
        for code in met:
            table[code][text.origin] += 1
    return table


def lines_of(table: dict[str, Counter[str]]) -> list[str]:
    """Returns the rows of a Markdown table, the repair that gives most first."""
    lines = ["| repair | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for code in sorted(table, key=lambda code: (-table[code]["right"], code)):
        link = f"[`{code}`](recovery.md#{code})" if code in CODES else f"`{code}`"
        lines.append(
            f"| {link} | " + " | ".join(f"{table[code][name]:,}" for name in COLUMNS) + " |"
        )
    return lines


def main() -> None:
    """Prints the table, or writes it into a page between its marks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="PATH", help="a file of recorded messages")
    parser.add_argument("--rows", type=Path, metavar="FOLDER", help="more rows, as JSON lines")
    parser.add_argument(
        "--damaged", type=int, default=300, metavar="N", help="texts of each format"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the table into this page")
    given = parser.parse_args()
    if given.page and not given.data:
        parser.error("--page needs --data: the table counts recorded messages, too")
    texts = [*examples(given.rows), *damaged(given.damaged)]
    if given.data:
        texts += recorded(given.data)
    lines = "\n".join(lines_of(weigh(texts)))
    print(lines)
    if given.page:
        page = given.page.read_text(encoding="utf-8")
        before, _, rest = page.partition("<!-- table -->\n")
        _, _, after = rest.partition("<!-- end -->")
        text = f"{before}<!-- table -->\n{lines}\n<!-- end -->{after}"
        given.page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
