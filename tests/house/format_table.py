"""The README's table of formats, written from the grammar headers.

`python -m tests.house.format_table` rewrites it; a test holds it current.
"""

import toolgrammar
from tests.house.checkout import ROOT

README = ROOT / "README.md"
BEGIN = "<!-- formats: written by `make readme` -->\n"
END = "<!-- end of formats -->\n"


def table() -> str:
    """The Markdown rows of all formats, by id."""
    rows = ["| id | title | models |", "|---|---|---|"]
    for format_id in sorted(toolgrammar.formats):
        fmt = toolgrammar.formats[format_id]
        models = " · ".join(f"`{model}`" for model in fmt.models)
        title = fmt.title.replace("<", "\\<").replace("|", "\\|")
        rows.append(f"| [`{format_id}`](grammars/{format_id}.md) | {title} | {models} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str) -> str:
    """The README's text with the current table between the two marks."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
