"""The README's table of formats by family, written from the grammar headers.

`python -m tests.house.format_table` rewrites it; a test holds it current.
"""

import toolgrammar
from tests.house.checkout import ROOT

README = ROOT / "README.md"
BEGIN = "<!-- formats: written by `make readme` -->\n"
END = "<!-- end of formats -->\n"


def table() -> str:
    """How many formats there are, and the Markdown rows of all families with their ids."""
    families: dict[str, list[str]] = {}
    for format_id, fmt in sorted(toolgrammar.formats.items()):
        families.setdefault(fmt.family, []).append(f"[`{format_id}`](grammars/{format_id}.md)")
    told = f"{len(toolgrammar.formats)} formats in {len(families)} families."
    rows = [
        f"{told} [docs/formats.md](docs/formats.md) has the models and the features of each.",
        "",
        "| family | formats |",
        "|---|---|",
    ]
    rows += [
        f"| {family} | {' '.join(families[family])} |"
        for family in sorted(families, key=str.casefold)
    ]
    return "\n".join(rows) + "\n"


def with_table(readme: str) -> str:
    """The README's text with the current table between the two marks."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
