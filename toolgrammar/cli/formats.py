"""The command `formats`: lists the formats, or shows the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.output import write, write_json, write_markdown, write_table

if TYPE_CHECKING:
    import argparse

    from toolgrammar.catalogue.format import Format


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "formats",
        help="list the formats, or show one",
        description="Lists the formats; with a name it shows the page of that format.",
    )
    parser.add_argument("format", nargs="?", help="id, alias or path of a .lark file")
    parser.add_argument("--grammar", action="store_true", help="show the grammar, not the page")
    parser.add_argument("--json", action="store_true", help="print the metadata as JSON lines")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Shows one format or all and returns the exit status."""
    if arguments.format is None:
        _list(as_json=arguments.json)
        return 0
    chosen = formats.resolve(arguments.format)
    if arguments.json:
        write_json(_metadata(chosen))
    elif arguments.grammar or not chosen.page:
        write(chosen.grammar)
    else:
        write_markdown(chosen.page)
    return 0


def _list(*, as_json: bool) -> None:
    if as_json:
        for entry in formats.values():
            write_json(_metadata(entry))
        return
    rows = [(entry.id, entry.title, ", ".join(entry.models)) for entry in formats.values()]
    write_table(("id", "title", "models"), rows)


def _metadata(entry: Format) -> dict[str, object]:
    return {
        "id": entry.id,
        "title": entry.title,
        "aliases": list(entry.aliases),
        "models": list(entry.models),
        "stop": list(entry.stop),
        "since": entry.header.since,
        "source": entry.header.source,
        "digest": entry.digest,
    }
