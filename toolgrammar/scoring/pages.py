"""Writes a report: as JSON, as Parquet, as a table of words, as a page of Markdown or HTML.

A cell of a table is a share in per cent and its interval: `94.2 [92.8 95.4]`.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Final

from toolgrammar.scoring.groups import METHOD
from toolgrammar.scoring.message_scores import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgrammar.scoring.groups import Group, Rate, Scores

COLUMNS: Final = (
    "parsed", "repaired", "doubted", "truncated", "lost", "unknown_tool", "schema", "same_message",
    "same_call", "same_argument",
)  # fmt: skip
"""The measures that a table shows, if the report has them; JSON and Parquet have all."""
_PLOTTED: Final = ("parsed", "same_message")
_MOST_CODES = 15
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;font-size:13px}"
    "td,th{border-bottom:1px solid #ddd;padding:.2rem .6rem;text-align:right;white-space:nowrap}"
    "td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}"
)


def cell(rate: Rate | None) -> str:
    """Returns a share and its interval in per cent; a dash if there is none."""
    if rate is None:
        return "-"
    return f"{100 * rate.share:.1f} [{100 * rate.low:.1f} {100 * rate.high:.1f}]"


def table_of(report: Scores, groups: Sequence[Group], heading: str) -> list[list[str]]:
    """Returns a table as rows of cells, the headings first."""
    columns = [name for name in COLUMNS if name in report.all.rates]
    rows = [[heading, "messages", *(name.replace("_", " ") for name in columns)]]
    for group in groups:
        # A row without the label has the value "", which as a cell would look like a fault.
        name = group.value or ("(none)" if group.label else "all")
        rates = [cell(group.rates.get(column)) for column in columns]
        rows.append([name, f"{group.messages:,}", *rates])
    return rows


def write_report(report: Scores, path: Path) -> None:
    """Writes a report in the format given by the suffix of its file.

    Raises:
        ValueError: the suffix of the name is unknown.
        ImportError: what the file needs is not installed.
    """
    match path.suffix.lower():
        case ".json":
            text = json.dumps(report.to_dict(), ensure_ascii=False, indent=1)
            # Half a surrogate pair, which a log may hold, has no form in UTF-8: it is written as
            # its escape.
            path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        case ".parquet":
            _write_parquet(report, path)
        case ".md":
            _write_markdown(report, path)
        case ".html" | ".htm":
            path.write_text(_html(report), encoding="utf-8", errors="backslashreplace")
        case other:
            raise ValueError(f"{path}: a report is .json, .parquet, .md or .html, not {other!r}")


def _write_parquet(report: Scores, path: Path) -> None:
    # Imported here, since pyarrow is an extra.
    from toolgrammar.bulk.files.parquet import require_extra

    require_extra()
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(report.records()), path)


def _sections(report: Scores) -> list[tuple[str, list[list[str]], Sequence[Group]]]:
    """Returns the tables of a page: its title, its cells, the groups to be drawn."""
    found: list[tuple[str, list[list[str]], Sequence[Group]]] = [
        ("All messages", table_of(report, [report.all], ""), ())
    ]
    for label in report.labels:
        groups = report.by(label)
        found.append((f"By {label}", table_of(report, groups, label), groups))
    for title, counts in (("Lost by", report.all.lost), ("Codes", report.all.codes)):
        if counts:
            rows = [[code, f"{number:,}"] for code, number in list(counts.items())[:_MOST_CODES]]
            found.append((title, [["code", "messages"], *rows], ()))
    return found


def _notes(report: Scores) -> list[str]:
    columns = [name for name in COLUMNS if name in report.all.rates]
    method = METHOD[0].upper() + METHOD[1:]
    return [
        f"{report.rows:,} rows, of which {report.bad:,} could not be scored. {method}.",
        *(f"{name.replace('_', ' ')}: {' that '.join(MEASURES[name])}" for name in columns),
    ]


def _write_markdown(report: Scores, path: Path) -> None:
    """Writes a page, and beside it a drawing for each label."""
    from toolgrammar.scoring.plots import plot_of, require_extra

    require_extra()
    head, *measures = _notes(report)
    lines = ["# Score", "", head, "", *(f"- {note}" for note in measures), ""]
    for number, (title, rows, groups) in enumerate(_sections(report)):
        first, *rest = [[_markdown(each) for each in row] for row in rows]
        lines += [f"## {title}", "", f"| {' | '.join(first)} |", "|---" * len(first) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in rest]
        lines.append("")
        if groups:
            # Markdown has no place for a drawing itself. The number is that of the section, since a
            # label may have characters that a file name must not have.
            drawing = path.with_name(f"{path.stem}-{number}.svg")
            drawing.write_text(plot_of(groups, _plotted(report)) + "\n", encoding="utf-8")
            lines += [f"![{title}]({drawing.name})", ""]
    path.write_text("\n".join(lines), encoding="utf-8", errors="backslashreplace")


def _html(report: Scores) -> str:
    """Returns a page that needs no other file."""
    from toolgrammar.scoring.plots import plot_of, require_extra

    require_extra()
    head, *measures = _notes(report)
    parts = [f"<h1>Score</h1><p>{html.escape(head)}</p><ul>"]
    parts += [f"<li>{html.escape(note)}</li>" for note in measures]
    parts.append("</ul>")
    for title, rows, groups in _sections(report):
        parts.append(f"<h2>{html.escape(title)}</h2><table>")
        for place, row in enumerate(rows):
            tag = "td" if place else "th"
            cells = "".join(f"<{tag}>{html.escape(each)}</{tag}>" for each in row)
            parts.append(f"<tr>{cells}</tr>")
        parts.append("</table>")
        if groups:
            parts.append(plot_of(groups, _plotted(report)))
    body = "\n".join(parts)
    title = '<meta charset="utf-8"><title>Score</title>'
    return f"<!doctype html><html><head>{title}<style>{_STYLE}</style></head><body>{body}</body></html>\n"


def _plotted(report: Scores) -> list[str]:
    return [name for name in _PLOTTED if name in report.all.rates]


def _markdown(text: str) -> str:
    """Returns a cell in which nothing is markup."""
    one_line = " ".join(text.split())
    return "".join(f"\\{each}" if each in "|\\`*_<[]" else each for each in one_line)
