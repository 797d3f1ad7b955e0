"""Runs the suite of parsers, says what holds, and writes its tables and plots."""

from __future__ import annotations

import math
import statistics
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.goals import Goal, goals_table
from peers import absent
from peers.places import interpreter
from peers.wires import WIRES

from suites.parsers_growth import growth, load_times, memory, memory_of_all
from suites.parsers_speed import OURS, WAYS, measure
from toolgrammar import formats
from toolgrammar.cli.bench.plots import dots
from toolgrammar.cli.bench.report import (
    machine,
    markdown_table,
    number,
    write_suite,
)

if TYPE_CHECKING:
    import argparse

Rows = list[dict[str, Any]]
HERE = Path(__file__).resolve().parents[1]

MEMORY_FORMATS = ("hermes", "qwen3_xml", "glm45", "deepseek_v3_1", "pythonic", "gemma4")
SERVERS = ("vLLM", "SGLang")
OTHERS = ("transformers", "floor", "json_repair", "jiter", "partial-json-parser")
_BESIDE_SERVERS = (
    ("batch", "300 B", 0.7, 0.4),
    ("batch", "4 KB", 0.7, 0.4),
    ("delta", "300 B", 1.0, 0.5),
    ("delta", "4 KB", None, 0.2),
)
"""Our time over that of the faster of vLLM and SGLang: the way, the size, at worst, in the middle."""
_VERSIONS = (
    "vllm", "sglang", "transformers", "json-repair", "jiter", "partial-json-parser", "mistral-common",
)  # fmt: skip


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Measures everything and returns it; runs in the environment of the peers."""
    with_servers = interpreter().exists()
    if with_servers:
        absent.enter()
    shared = given.format or list(WIRES)
    rows = measure(shared, rounds=given.rounds, limit=given.limit, with_servers=with_servers)
    every = list(formats) if given.long and not given.format else shared
    grown = growth(every, runs=3)
    # Where a text of 1 MB can't be read in time, it can't be written either.
    readable = [row["format"] for row in grown if not math.isinf(row["growth"])]
    sample = [each for each in MEMORY_FORMATS if each in readable]
    return {
        "machine": {**machine(), **versions()},
        "rows": rows,
        "growth": grown,
        "memory": memory(readable if given.long else sample),
        "memory_of_all": memory_of_all(
            [each for each in MEMORY_FORMATS[:2] if each in shared],
            limit=given.limit * 4,
            with_servers=with_servers,
        ),
        "load": load_times(shared, [str(HERE), str(HERE.parent)], with_servers=with_servers),
    }


def show(parts: dict[str, Any], folder: Path | None) -> None:
    """Prints the tables of what was measured, and writes and draws it where a folder is given."""
    sections = pages(parts)
    print("\n\n".join(sections))
    if folder is not None:
        figures = {key: value for key, value in parts.items() if key != "machine"}
        # A page of its own: figures of two runs do not compare.
        is_compiled = parts["machine"]["core"] == "compiled"
        name = "parsers-compiled" if is_compiled else "parsers"
        write_suite(folder, name, "Parsers", parts["machine"], figures, sections)
        draw(folder, name, parts)


def versions() -> dict[str, str]:
    """Returns the versions of the peers that are there."""
    found: dict[str, str] = {}
    for name in _VERSIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def pages(parts: dict[str, Any]) -> list[str]:
    """Returns the sections of the report."""
    times = _times(parts["rows"])
    sections = ["## Goals\n\n" + goals_table(goals(parts))]
    for way, title in zip(WAYS, ("At once, µs a message", "Streamed, µs a delta"), strict=True):
        sections.append(f"## {title}\n\n{_speed_table(parts['rows'], way)}")
    sections.append("## Where another is faster\n\n" + _losses(times))
    sections.append("## Growth of ours: µs a delta\n\n" + _growth_table(parts["growth"]))
    sections.append(
        "## Growth of the servers': µs a delta, 32 KB ÷ 300 B\n\n" + _peers_growth(parts)
    )
    sections.append(
        "## Peak of memory while 1 MB is streamed ÷ `sys.getsizeof(text)`\n\n"
        + _plain(parts["memory"], ("format", OURS))
        + "\n\nThe same for 64 KB, of every parser:\n\n"
        + _plain(parts["memory_of_all"], ("format", OURS, *SERVERS, "transformers"))
    )
    sections.append(
        "## Loading, ms in a fresh process\n\n"
        + _plain(parts["load"], ("format", "peer", "import_ms", "parser_ms", "first_parse_ms"))
    )
    return sections


def _times(rows: Rows) -> dict[tuple[str, str, str, str], float]:
    """Returns the times that count, by format, size, way and parser."""
    return {
        (row["format"], row["size"], row["way"], row["peer"]): row["us"]
        for row in rows
        if row.get("us") is not None
    }


def fastest_server(
    times: dict[tuple[str, str, str, str], float], format_id: str, size: str, way: str
) -> float | None:
    """Returns the time of the faster of vLLM and SGLang, of those that read what was written."""
    found = [
        value
        for (name, of_size, of_way, peer), value in times.items()
        if (name, of_size, of_way) == (format_id, size, way) and peer.split()[0] in SERVERS
    ]
    return min(found, default=None)


def ratios(rows: Rows, size: str, way: str) -> dict[str, float]:
    """Returns our time over that of the faster server, by format."""
    times = _times(rows)
    found: dict[str, float] = {}
    for format_id in dict.fromkeys(row["format"] for row in rows):
        ours = times.get((format_id, size, way, OURS))
        other = fastest_server(times, format_id, size, way)
        if ours is not None and other is not None:
            found[format_id] = ours / other
    return found


def goals(parts: dict[str, Any]) -> list[Goal]:
    """Returns the goals that the suite can judge."""
    rows = parts["rows"]
    found: list[Goal] = []
    shared = ratios(rows, "300 B", "batch")
    if shared:
        found.append(Goal("formats that a server reads too", float(len(shared)), 20, at_least=True))
    for way, size, worst, middle in _BESIDE_SERVERS:
        found += _beside_servers(way, size, ratios(rows, size, way), worst, middle)
    found += _of_ratios(
        "delta, 1 MB ÷ 4 KB",
        {row["format"]: row["growth"] for row in parts["growth"]},
        1.3,
    )
    found += _of_ratios(
        "memory, 1 MB ÷ size of the text", {row["format"]: row[OURS] for row in parts["memory"]}, 4
    )
    ours_loaded = [row for row in parts["load"] if row["peer"] == OURS]
    first = {row["format"]: row["first_parse_ms"] for row in ours_loaded}
    loading = {row["format"]: row["import_ms"] + row["parser_ms"] for row in ours_loaded}
    found += _of_ratios("first parse, ms", first, 10.0)
    found += _of_ratios("import and loading of the parser, ms", loading, 60.0)
    return found


def _beside_servers(
    way: str, size: str, values: dict[str, float], worst: float | None, middle: float
) -> list[Goal]:
    """Returns the goals of one size: our time over the faster server's, at worst and in the middle."""
    words = f"{'at once' if way == 'batch' else 'delta'}, {size} ÷ faster server"
    found = [] if worst is None else _of_ratios(words, values, worst)
    median = statistics.median(values.values()) if values else None
    return [*found, Goal(f"{words}, median", median, middle)]


def _of_ratios(words: str, values: dict[str, float], most: float) -> list[Goal]:
    if not values:
        return [Goal(words, None, most)]
    worst = max(values, key=lambda name: values[name])
    over = sum(value > most for value in values.values())
    shown = f"{words}: worst of {len(values)} ({worst}); {over} over"
    return [Goal(shown, values[worst], most)]


def _speed_table(rows: Rows, way: str) -> str:
    cells = {
        (row["format"], row["size"], row["peer"]): row for row in rows if row.get("way") == way
    }
    times = _times(rows)
    shown: list[list[str]] = []
    for format_id, size in dict.fromkeys(key[:2] for key in cells):
        of_ours = times.get((format_id, size, way, OURS))
        other = fastest_server(times, format_id, size, way)
        ratio = number(of_ours / other) if of_ours and other else number(None)
        line = [f"{format_id}, {size}", _cell(cells.get((format_id, size, OURS)))]
        line += [_server_cell(cells, format_id, size, server) for server in SERVERS]
        line += [ratio, *(_cell(cells.get((format_id, size, peer))) for peer in OTHERS)]
        shown.append(line)
    headings = ["format", OURS, *SERVERS, "ours ÷ faster", *OTHERS]
    return markdown_table(headings, shown)


def _server_cell(cells: dict[Any, dict[str, Any]], format_id: str, size: str, server: str) -> str:
    """Returns the figure of a server; of two parsers of one server, that of the faster."""
    found = [
        row
        for (name, of_size, peer), row in cells.items()
        if (name, of_size) == (format_id, size) and peer.split()[0] == server
    ]
    right = [row for row in found if row["us"] is not None]
    return _cell(min(right, key=lambda row: row["us"]) if right else next(iter(found), None))


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return number(None)
    return number(row["us"]) if row["us"] is not None else str(row["verdict"])


def _losses(times: dict[tuple[str, str, str, str], float]) -> str:
    """Returns every place where a parser that reads the same takes less time than ours."""
    lines: list[str] = []
    for peer in (*SERVERS, *OTHERS):
        found: list[str] = []
        for (format_id, size, way, name), value in times.items():
            ours = times.get((format_id, size, way, OURS))
            if name.split()[0] == peer.split()[0] and ours is not None and value < ours:
                found.append(f"{format_id} {size} {way} ({ours / value:.1f})")
        lines.append(f"- {peer}: " + (", ".join(found) if found else "nowhere"))
    return "How many times longer ours takes:\n\n" + "\n".join(lines)


def _growth_table(rows: Rows) -> str:
    ordered = sorted(rows, key=lambda row: -row["growth"])
    return _plain(ordered, ("format", "4 KB", "1 MB", "growth"))


def _peers_growth(parts: dict[str, Any]) -> str:
    times = _times(parts["rows"])
    lines: list[str] = []
    for peer in (OURS, *SERVERS, "transformers"):
        grown: list[str] = []
        for (format_id, size, way, name), value in times.items():
            long = times.get((format_id, "32 KB", way, name))
            is_short = name.split()[0] == peer and (size, way) == ("300 B", "delta")
            if is_short and long is not None and long / value >= 2:
                grown.append(f"{format_id} {long / value:.0f}")
        cut = [
            row["format"]
            for row in parts["rows"]
            if row.get("verdict") == "over the limit" and row["peer"].split()[0] == peer
        ]
        words = ", ".join(grown) or "none by 2 or more"
        over = f"; over the limit: {', '.join(dict.fromkeys(cut))}" if cut else ""
        lines.append(f"- {peer}: {words}{over}")
    return "\n".join(lines)


def _plain(rows: Rows, columns: tuple[str, ...]) -> str:
    return markdown_table(columns, [[number(row.get(name)) for name in columns] for row in rows])


def draw(folder: Path, name: str, parts: dict[str, Any]) -> None:
    """Draws the figures of the suite, in files whose names begin with its name."""
    times = _times(parts["rows"])
    for way, words in (("batch", "a message at once"), ("delta", "one delta of a stream")):
        for size in ("300 B", "4 KB"):
            ours = {key[0]: value for key, value in times.items() if key[1:] == (size, way, OURS)}
            labels = sorted(ours, key=lambda each: ours[each])
            dots(
                folder / f"{name}-{way}-{size.replace(' ', '').lower()}",
                f"{words.capitalize()}, {size}",
                "µs",
                labels,
                {
                    OURS: [ours[each] for each in labels],
                    **{
                        server: [_of_server(times, each, size, way, server) for each in labels]
                        for server in SERVERS
                    },
                    **{
                        peer: [times.get((each, size, way, peer)) for each in labels]
                        for peer in ("transformers", "floor")
                    },
                },
                logarithmic=True,
            )
    if not parts["growth"]:
        return
    ordered = sorted(parts["growth"], key=lambda row: row["growth"])
    dots(
        folder / f"{name}-growth",
        "A delta of toolgrammar at 1 MB over one at 4 KB",
        "times",
        [row["format"] for row in ordered],
        {OURS: [row["growth"] for row in ordered]},
        line_at=1.3,
    )


def _of_server(
    times: dict[tuple[str, str, str, str], float], name: str, size: str, way: str, server: str
) -> float | None:
    found = [
        value
        for (of, of_size, of_way, peer), value in times.items()
        if (of, of_size, of_way) == (name, size, way) and peer.split()[0] == server
    ]
    return min(found, default=None)
