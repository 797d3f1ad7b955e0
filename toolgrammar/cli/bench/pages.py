"""Writes a comparison of formats as tables; a cell is a figure and its 95 % interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.cli.bench.report import markdown_table, number
from toolgrammar.comparison.confusion import KINDS as TEXTS
from toolgrammar.comparison.costs import AS_ONE, AS_TEXT
from toolgrammar.comparison.cuts import TENTHS
from toolgrammar.comparison.damages import KINDS as DAMAGES
from toolgrammar.comparison.figures import ranks
from toolgrammar.comparison.robustness import (
    EXACT,
    LOST,
    NO_PLACE,
    NOTICED,
    OUTCOMES,
    PER_CHARACTERS,
    WRONG,
)
from toolgrammar.comparison.tokens import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.comparison.figures import Figure
    from toolgrammar.comparison.runs import Comparison

    Row = dict[str, Any]
    Column = tuple[str, Callable[[Row], Figure | None], float]
    """Its heading, the figure of a row, and what the figure is multiplied by."""

_CELLS = (
    "A cell is a figure and its 95 % interval: of shares Wilson's, else that of a ratio over "
    "messages. Formats whose intervals overlap have the same rank: one more than the number of those "
    "that are certainly better."
)
_COSTS = "What it costs"
_COSTS_SAY = (
    "Tokens more than the bare JSON of the same calls, in per cent, with a format's fixed markers as "
    "the text that they are and as one token each; tokens of the prompt more than the JSON of its "
    "tools; characters later than in bare JSON until the name and the whole call are known."
)
_CUTS_SAY = (
    "Characters of the arguments that are there when the text is cut and nobody says so, in per cent: "
    "the mean of nine cuts of each message, at one tenth of its text, at two, … at nine; then of all cuts: a call runs that was not meant; a call whose name is there is "
    "lost and nothing says so."
)
_TEXTS_SAY = (
    "Texts that show a message and make no call, in per cent of which a call runs: with a message "
    "between backticks, in a block of code with a comment, in a string and in comments of a program, "
    "behind `> `, and prose that names the markers."
)
_SPEED_SAYS = (
    "µs for a message and a delta of four characters, of ten messages and of one of 4 KB: the least "
    "of all rounds, which is no sample and has no interval."
)
_SPEEDS = ("parse_us", "delta_us", "parse_long_us", "delta_long_us")


def summary(found: Comparison, tokenizer: str) -> tuple[list[str], list[list[str]]]:
    """Returns the table that is printed: what matters first, with ranks."""
    return _table(
        found.rows,
        [
            (f"{tokenizer} + %", _size(tokenizer, AS_ONE), 100),
            ("prompt +", lambda row: row["prompt"][tokenizer][AS_ONE], 1),
            ("runs otherwise of 1,000", _per_thousand(WRONG), 1),
            ("models' damage %", _models(WRONG), 100),
            ("cut, ran %", lambda row: row["cuts"]["ran"], 100),
            ("shown, ran %", lambda row: row["confusion"]["ran"], 100),
        ],
        ranked=(0, 2, 3, 4, 5),
    )


def counted(tokenizer: str) -> str:
    """Returns how the printed table and the answers count tokens; empty where they count none."""
    if tokenizer == CHARACTERS:
        return ""
    return (
        f"Tokens of {tokenizer} here and in the answers count each fixed marker of a format as one "
        "token; the page that --into writes also counts it as text."
    )


def about(found: Comparison) -> str:
    """Returns over which messages formats were compared."""
    shapes = ", ".join(f"{count} {shape}" for shape, count in found.compared.items())
    carriers = f"all {len(found.rows)} compared formats carry"
    if len(found.rows) == 1:
        carriers = "the compared format carries"
    return (
        f"Over {sum(found.compared.values())} of {sum(found.messages.values())} messages ({shapes}), "
        f"the ones that {carriers}; seed {found.settings.seed}."
    )


def sections(found: Comparison, tokenizers: Sequence[str]) -> list[str]:
    """Returns the tables of the page, each below its heading and what it says."""
    settings, rows, main = found.settings, found.rows, _main(tokenizers)
    outcomes = "; ".join(f"*{name}*: {words}" for name, words in OUTCOMES.items())
    kinds = ", ".join(f"{DAMAGES[kind][0]} ({n})" for kind, n in settings.weights.items())
    tables = [
        (_COSTS, _COSTS_SAY, _costs(rows, tokenizers)),
        (
            "What it costs by the shape of a message",
            f"Tokens of {main} more than the bare JSON, in per cent, each marker one token.",
            _shapes(found, main),
        ),
        (
            "What errors come to",
            (
                f"Of 1,000 messages with one error in {PER_CHARACTERS:,} characters of markup; then of "
                f"messages that have such an error, in per cent: {outcomes}. *markup*: characters of it "
                f"in a message; they are counted, not drawn. {settings.damages} messages a format."
            ),
            _errors(rows),
        ),
        (
            "What errors come to by the shape of a message",
            (
                "Of messages that have such an error, in per cent those that run as they were meant all "
                "the same."
            ),
            _errors_by_shape(found),
        ),
        (
            "What damages that models make come to",
            (
                "Of messages with one of these damages, each as often as it was reported in recorded "
                f"messages: {kinds}. In per cent; *{NO_PLACE}*: the format has nothing that can be "
                f"damaged so. {settings.damages} messages a format."
            ),
            _of_models(rows),
        ),
        ("What a cut leaves", _CUTS_SAY, _cut(rows)),
        ("What texts that speak of it run", _TEXTS_SAY, _confusion(rows)),
    ]
    if any("speed" in row for row in rows):
        tables.append(("How fast it is read", _SPEED_SAYS, _speed(rows)))
    if found.apart:
        words = "They can't carry nine of ten of the messages."
        tables.append(("Not compared", words, _apart(found)))
    return [
        f"{about(found)} {_CELLS}",
        *(f"## {title}\n\n{words}\n\n{table}" for title, words, table in tables),
    ]


def _main(tokenizers: Sequence[str]) -> str:
    return next((name for name in tokenizers if name != CHARACTERS), CHARACTERS)


def cell(figure: Figure | None, factor: float = 1) -> str:
    """Returns a figure and its interval."""
    if figure is None:
        return number(None)
    value, low, high = (end * factor for end in figure)
    # By the wider end: all three numbers of a cell have the same digits.
    digits = 0 if max(abs(low), abs(high)) >= 100 else 1 if max(abs(low), abs(high)) >= 10 else 2
    # `-0.0` is not a figure.
    shown = [f"{round(end, digits) + 0.0:,.{digits}f}" for end in (value, low, high)]
    # One message says nothing of others.
    return f"{shown[0]} [{shown[1]} {shown[2]}]".replace("inf", "∞")


def _table(
    rows: Sequence[Row], columns: Sequence[Column], *, ranked: Sequence[int] = ()
) -> tuple[list[str], list[list[str]]]:
    """Returns headings and cells, by family and then by the first column."""
    first = columns[0][1]
    ordered = sorted(rows, key=lambda row: (row["family"], (first(row) or (0.0,))[0]))
    headings, cells = ["family", "format"], [[row["family"], row["format"]] for row in ordered]
    for index, (heading, of, factor) in enumerate(columns):
        figures = {row["format"]: figure for row in ordered if (figure := of(row)) is not None}
        if index in ranked:
            headings.append("rank")
            # A format without the figure has no rank, and does not move the others.
            places = ranks(figures)
            for line in cells:
                line.append(number(places.get(line[1])))
        headings.append(heading)
        for line in cells:
            line.append(cell(figures.get(line[1]), factor))
    return headings, cells


def _size(tokenizer: str, way: str) -> Callable[[Row], Figure | None]:
    return lambda row: row["sizes"][tokenizer][way]


def _per_thousand(name: str) -> Callable[[Row], Figure | None]:
    return lambda row: row["random"]["of 1,000"][name]


def _models(name: str) -> Callable[[Row], Figure | None]:
    return lambda row: row["models"]["of damaged"][name]


def _costs(rows: Sequence[Row], tokenizers: Sequence[str]) -> str:
    columns: list[Column] = []
    for name in tokenizers:
        columns.append((f"{name} %", _size(name, AS_TEXT), 100))
        # Counted in characters a marker is as long as it is; only tokenizers have it as one.
        if name != CHARACTERS:
            columns.append((f"{name}, markers one, %", _size(name, AS_ONE), 100))
    main = _main(tokenizers)
    columns += [
        (f"prompt, {main}", lambda row: row["prompt"][main][AS_TEXT], 1),
        ("name later", lambda row: row["name_known"], 1),
        ("call later", lambda row: row["call_known"], 1),
    ]
    return markdown_table(*_table(rows, columns, ranked=range(len(columns))))


def _shapes(found: Comparison, tokenizer: str) -> str:
    def of(shape: str) -> Callable[[Row], Figure | None]:
        return lambda row: row["shapes"][shape][tokenizer][AS_ONE]

    columns: list[Column] = [(shape, of(shape), 100) for shape in found.compared]
    return markdown_table(*_table(found.rows, columns, ranked=range(len(columns))))


def _errors(rows: Sequence[Row]) -> str:
    columns: list[Column] = [(f"{name} of 1,000", _per_thousand(name), 1) for name in
                             (WRONG, LOST, NOTICED)]  # fmt: skip

    def of(name: str) -> Callable[[Row], Figure | None]:
        return lambda row: row["random"]["of damaged"][name]

    columns += [(f"{name} %", of(name), 100) for name in (EXACT, NOTICED, LOST, WRONG)]
    headings, cells = _table(rows, columns, ranked=(0,))
    markup = {row["format"]: row["random"]["markup"] for row in rows}
    return markdown_table(
        [*headings[:2], "markup", *headings[2:]],
        [[*line[:2], number(markup[line[1]]), *line[2:]] for line in cells],
    )


def _errors_by_shape(found: Comparison) -> str:
    def of(shape: str) -> Callable[[Row], Figure | None]:
        # A message with little markup may never have been drawn.
        return lambda row: row["random"]["by shape"].get(shape, {}).get(EXACT)

    columns: list[Column] = [(shape, of(shape), 100) for shape in found.compared]
    return markdown_table(*_table(found.rows, columns))


def _of_models(rows: Sequence[Row]) -> str:
    names = (WRONG, LOST, NOTICED, EXACT, NO_PLACE)
    return markdown_table(
        *_table(rows, [(name, _models(name), 100) for name in names], ranked=(0,))
    )


def _cut(rows: Sequence[Row]) -> str:
    def of(tenth: int) -> Callable[[Row], Figure | None]:
        return lambda row: row["cuts"]["tenths"][str(tenth)]["kept"]

    columns: list[Column] = [
        ("ran", lambda row: row["cuts"]["ran"], 100),
        ("lost", lambda row: row["cuts"]["lost"], 100),
        ("kept, mean", lambda row: row["cuts"]["kept"], 100),
        *((f"kept at {tenth}/10", of(tenth), 100.0) for tenth in TENTHS),
    ]
    return markdown_table(*_table(rows, columns, ranked=(0,)))


def _confusion(rows: Sequence[Row]) -> str:
    def of(kind: str) -> Callable[[Row], Figure | None]:
        return lambda row: row["confusion"]["kinds"][kind]

    columns: list[Column] = [
        ("all", lambda row: row["confusion"]["ran"], 100),
        *((kind, of(kind), 100.0) for kind in TEXTS),
    ]
    return markdown_table(*_table(rows, columns, ranked=(0,)))


def _speed(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: (row["family"], row["speed"]["parse_us"]))
    return markdown_table(
        ["family", "format", "message", "delta", "4 KB", "delta of 4 KB"],
        [
            [row["family"], row["format"], *(number(row["speed"].get(key)) for key in _SPEEDS)]
            for row in ordered
        ],
    )


def _apart(found: Comparison) -> str:
    return markdown_table(
        ["family", "format", "carries", "does not carry", "why not the first of them"],
        [
            [
                row["family"],
                row["format"],
                f"{row['carried']} of {row['of']}",
                ", ".join(f"{count} {shape}" for shape, count in row["refused"].items()),
                _short(row["reason"]),
            ]
            for row in sorted(found.apart, key=lambda row: (row["family"], row["format"]))
        ],
    )


def _short(text: str) -> str:
    """Returns the beginning of a sentence as a cell of a table."""
    # A bar would end the cell, and half of a code span would run on through the table.
    one_line = " ".join(text.split()).replace("|", "\\|").replace("`", "")
    return one_line if len(one_line) <= 90 else one_line[:89] + "…"
