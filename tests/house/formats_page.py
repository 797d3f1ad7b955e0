"""The catalogue page, written from the headers, the tables and sample calls of all formats.

`python -m tests.house.formats_page` writes docs/formats.md; a test holds it current.
"""

from pathlib import Path

import toolgrammar
from tests.house.checkout import ROOT
from toolgrammar import Format
from toolgrammar.catalogue.features import Features, features_of

PAGE = ROOT / "docs" / "formats.md"
_HEAD = """\
# Formats

Every format that toolgrammar ships: {number} grammars. `toolgrammar formats` lists them on the command line, `toolgrammar formats WORDS` looks for some, and `toolgrammar formats ID` shows the page of one. [Writing a format](writing-a-format.md) says how to add one.

| column | says |
|---|---|
| id | the format, with the other names that lead to it |
| models | the models that speak it: `toolgrammar.formats.for_model(name)` |
| payload | how arguments are written: `JSON` or `Python` all at once, one `text` or `JSON` a value, or one `free text`; the way that `render` takes first comes first |
| parallel | a message can hold several calls |
| ids | calls have ids on the wire: always, or where the model writes them |
| reasoning | the format marks what the model thinks aloud |
| text between | text can stand between two calls |
| nested | lists and objects can be arguments |
| streams | what is emitted as it comes: each character of a string, or a value when it is whole |

This page is written by `make docs` from the headers of the grammars, their tables, and calls written in them.

"""
_COLUMNS = (
    "id", "models", "payload", "parallel", "ids", "reasoning", "text between", "nested", "streams"
)  # fmt: skip


def page() -> str:
    """The text of the page."""
    found = sorted(toolgrammar.formats.values(), key=lambda fmt: (fmt.family.casefold(), fmt.id))
    columns = ("family", *_COLUMNS)
    rows = [" | ".join(columns), "|".join("---" for _ in columns)]
    rows += [" | ".join((fmt.family, *_cells(fmt, features_of(fmt)))) for fmt in found]
    table = (
        "".join(f"| {row} |\n" for row in rows).replace("| ---|", "|---|").replace("--- |", "---|")
    )
    return _HEAD.format(number=len(found)) + table


def _cells(fmt: Format, features: Features) -> tuple[str, ...]:
    names = "".join(f", `{alias}`" for alias in fmt.aliases)
    return (
        f"[`{fmt.id}`](../grammars/{fmt.id}.md){names}",
        " ".join(f"`{model}`" for model in fmt.models),
        ", ".join(features.payload),
        _mark(holds=features.parallel),
        "" if features.ids == "none" else features.ids,
        _mark(holds=features.reasoning),
        _mark(holds=features.text_between),
        _mark(holds=features.nested),
        features.streaming,
    )


def _mark(*, holds: bool) -> str:
    return "yes" if holds else ""


def main(path: Path = PAGE) -> None:
    """Writes the page."""
    path.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
