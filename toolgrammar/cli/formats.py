"""The command `formats`: lists the formats by family, searches them, or shows the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.output import write, write_json, write_markdown, write_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from toolgrammar.catalogue.format import Format

_HEADINGS = ("family", "id", "title", "models")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "formats",
        help="list the formats, or show one",
        description="Lists the formats by family. With the name of a format it shows its page; "
        "with any other words it lists the formats that speak of all of them in their id, title, "
        "family, aliases or models.",
    )
    parser.add_argument(
        "format", nargs="*", help="id, alias or path of a .lark file; or words to look for"
    )
    parser.add_argument("--search", action="store_true", help="look for the words in any case")
    parser.add_argument("--grammar", action="store_true", help="show the grammar, not the page")
    parser.add_argument("--json", action="store_true", help="print the metadata as JSON lines")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Shows one format or lists several, and returns the exit status."""
    words = " ".join(arguments.format)
    # A name shows its format; any other text is searched for.
    chosen = None if arguments.search or not words else _named(words)
    if chosen is None:
        _list(_found(words), as_json=arguments.json)
    elif arguments.json:
        write_json(_metadata(chosen))
    # A grammar of the caller's own may have no page.
    elif arguments.grammar or not chosen.page:
        write(chosen.grammar)
    else:
        write_markdown(chosen.page)
    return 0


def _named(name: str) -> Format | None:
    """Returns the format of a name or a path; None for words to look for."""
    return formats.resolve(name) if name.endswith(".lark") else formats.get(name)


def _found(words: str) -> list[Format]:
    """Returns the formats that speak of all words.

    Raises:
        UnknownFormat: none does; the message names the nearest ids.
    """
    # Where nothing is found the look-up raises, and names the nearest.
    return formats.search(words) or [formats[words]]


def _list(found: Iterable[Format], *, as_json: bool) -> None:
    # Formats without a family come last.
    by_family = sorted(found, key=lambda entry: (not entry.family, entry.family.casefold()))
    if as_json:
        for entry in by_family:
            write_json(_metadata(entry))
        return
    rows = [(entry.family, entry.id, entry.title, ", ".join(entry.models)) for entry in by_family]
    write_table(_HEADINGS, rows)


def _metadata(entry: Format) -> dict[str, object]:
    return {
        "schema": 1,
        "id": entry.id,
        "title": entry.title,
        "family": entry.family,
        "aliases": list(entry.aliases),
        "models": list(entry.models),
        "stop": list(entry.stop),
        "since": entry.header.since,
        "source": entry.header.source,
        "digest": entry.digest,
    }
