"""The tables of the league: who reads what, in which versions, and why toolgrammar misses a fixture.

A tally of 450 passes, 12 partly and 7 fails becomes
`| toolgrammar | 0.1.0 | 469 | 450 | 12 | 7 | 0 | 0 | 450 | 0 |`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.goals import Goal, goals_table

from toolgrammar.cli.bench.report import markdown_table, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REASONS = Path(__file__).with_name("reasons.toml")
OURS = "toolgrammar"
MOST_PASSES = {"canitoolcall": (449, 13)}
"""Of a suite: at least so many passes, at most so many that are not even partly passed."""
UNEXPLAINED = "unexplained"
NOT_INSTALLED = "not installed"
Row = dict[str, Any]

ABOUT = """\
A fixture is one message with the calls that a reader should find in it. Each is read at once and, by \
readers that stream, under five cuttings: whole in one delta, at special tokens, token by token, and in \
two drawn groupings of tokens. *Pass*: everything that the suite asks for, in each of these ways. *Partly*: \
the calls are right, and text or reasoning is not, often by white space alone. *Fail*: other calls. \
*Raised*: an exception, or no end within five seconds. *At once*: fixtures passed when only the whole \
message counts. *Cut-dependent*: two cuttings of one message gave different answers; a dash for a \
reader that takes whole messages only. *No parser*: the reader has none for the format; that is no fail.

The suites are counted whole: nothing is drawn, so there are no intervals. Where `--limit` takes a part \
of a file, the page says so. A suite is an opinion, too: what is right in it was settled by its authors."""
GIVEN = """\
- All are given the tools and the text; toolgrammar besides what the chat template had written of the \
answer, and whether the message was cut by its length; its calls that are not executable are left out, \
as a server leaves them out. Where a suite names no tools, the others get bare ones of the names that it \
expects: the servers read nothing without.
- vLLM, SGLang and LMDeploy run with a reasoning parser: in canitoolcall the one of the suite's own \
settings, elsewhere the one of the format. vLLM gets the end of the prompt, too.
- A stand-in takes the place of the models' tokenizers: special tokens whole, all other text in tokens \
of four characters. vLLM's reader of Harmony needs the model's own vocabulary, so it has no parser for it here.
- SGLang and Dynamo are handed the stop token of a Harmony message, as SGLang's server does.
- Dynamo's binding, mlx-lm, Qwen-Agent and agent-tool-parser take whole messages. Of what they do not \
give out (reasoning; mlx-lm and agent-tool-parser: text), nothing is judged. mlx-lm reads one call: its \
markers are found in the text here, in the tokens by its server. Dynamo works in threads of its own, \
which the clock does not see: it is not timed.
- agent-tool-parser asks for no format. It counts as a reader of those formats of which it reads one \
sound call.
- Times: one call with a body of 300 B at once, arguments decoded, no body twice, the least of several \
rounds; the median over the formats that a reader reads right. *÷ ours* is the geometric mean over \
the formats that both read. No interval: the least of rounds estimates a floor, not a mean."""


def reasons() -> dict[str, dict[str, str]]:
    """Returns why toolgrammar does not pass a fixture, by suite and id."""
    found: dict[str, dict[str, str]] = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return found


def pages(parts: Mapping[str, Any]) -> list[str]:
    """Returns the sections of the report."""
    sections = ["## What is counted\n\n" + ABOUT]
    for suite in dict.fromkeys(row["suite"] for row in parts["tallies"]):
        rows = [row for row in parts["tallies"] if row["suite"] == suite]
        sections.append(f"## {suite}\n\n" + _table(rows, parts["versions"], parts["left"]))
    if parts["speed"]:
        sections.append("## Time\n\n" + _times(parts["speed"]))
    sections.append("## What each was given\n\n" + GIVEN)
    for suite, missed in parts["missed"].items():
        words = _misses(missed, reasons().get(suite, {}))
        sections.append(f"## What toolgrammar does not pass of {suite}\n\n{words}")
    wanted = goals(parts["tallies"])
    if wanted:
        sections.append("## Goals\n\n" + goals_table(wanted))
    return sections


def goals(tallies: Sequence[Row]) -> list[Goal]:
    """Returns the goals that the run can judge."""
    found: list[Goal] = []
    for row in tallies:
        if row["reader"] == OURS and row["suite"] in MOST_PASSES and not row["is_part"]:
            passes, fails = MOST_PASSES[row["suite"]]
            missed = float(row["fail"] + row["raised"])
            found += [
                Goal(f"{row['suite']}: passes", float(row["pass"]), passes, at_least=True),
                Goal(f"{row['suite']}: fails", missed, fails),
                Goal(f"{row['suite']}: cut-dependent", float(row["cut-dependent"]), 0),
            ]
    return found


def _table(
    rows: Sequence[Row], versions: Mapping[str, str | None], left: Mapping[str, Mapping[str, int]]
) -> str:
    columns = ("asked", "pass", "partly", "fail", "raised", "no parser", "pass at once")
    shown = []
    for row in rows:
        version = versions.get(row["reader"])
        if version is None:
            shown.append([row["reader"], NOT_INSTALLED, *[number(None)] * (len(columns) + 1)])
            continue
        cut = row["cut-dependent"] if row["streams"] else None
        shown.append(
            [row["reader"], version, *(number(row[name]) for name in columns), number(cut)]
        )
    table = markdown_table(["reader", "version", *columns, "cut-dependent"], shown)
    apart = left.get(rows[0]["suite"], {})
    lines = [f"- {count:,} left out: {reason}" for reason, count in sorted(apart.items())]
    return "\n".join([table, "", *lines]) if lines else table


def _times(rows: Sequence[Row]) -> str:
    shown = [
        [
            row["reader"],
            number(row["formats"]),
            number(row["µs"]),
            number(row["times toolgrammar"]),
        ]
        for row in rows
    ]
    return markdown_table(["reader", "formats", "µs a message", "÷ ours"], shown)


def _misses(missed: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> str:
    """Returns a line for each fixture, with the reason; first those that nobody has explained."""
    lines = []
    for name, (verdict, difference) in missed.items():
        reason = known.get(name)
        words = reason or f"**{UNEXPLAINED}**: {_in_one_line(difference)}"
        lines.append((reason is not None, verdict, f"- `{name}` ({verdict}): {words}"))
    return "\n".join(line for *_, line in sorted(lines)) or "Nothing."


def _in_one_line(words: str) -> str:
    return words.replace("\n", "\\n").replace("|", "\\|")
