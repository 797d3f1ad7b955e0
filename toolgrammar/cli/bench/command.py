"""The command `bench`: measures formats on the same calls, and runs the suites of a checkout."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.bench.drawings import draw
from toolgrammar.cli.bench.material import read_material
from toolgrammar.cli.bench.pages import about, counted, sections, summary
from toolgrammar.cli.bench.plots import require_extra
from toolgrammar.cli.bench.report import machine, write_suite
from toolgrammar.cli.input import InputError
from toolgrammar.cli.output import complain, write_line, write_table
from toolgrammar.comparison.answers import answers
from toolgrammar.comparison.damages import recorded
from toolgrammar.comparison.messages import SHAPES, drawn
from toolgrammar.comparison.runs import Settings, compare
from toolgrammar.comparison.tokens import CHARACTERS, from_file, installed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.cli.bench.material import Material
    from toolgrammar.comparison.runs import Comparison
    from toolgrammar.comparison.tokens import Tokenizer

_FORMATS = "formats"
_PARSERS = "parsers"
_SUITES = (_FORMATS, _PARSERS, "recovery")
_MESSAGES = 120
"""The number of messages that are drawn if the caller has none."""
_SECONDS = 5.0
"""Between two words of progress."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "bench",
        help="compare formats on the same calls: cost, robustness, speed",
        description="Writes the same calls in every format and measures tokens, what damages and "
        "cuts come to, how early a call is known, and speed, with 95 % intervals. In a source "
        "checkout it also runs the suites `parsers` (beside other parsers) and `recovery` (beside "
        "repairers of JSON).",
    )
    parser.add_argument(
        "suites", nargs="*", metavar="suite", help=f"{', '.join(_SUITES)} (default: all there are)"
    )
    parser.add_argument(
        "--with",
        dest="own",
        action="append",
        default=[],
        metavar="PATH",
        help="your own files, or folders of them: .lark formats, .json tools, .jsonl (.gz too) and "
        ".txt transcripts, whose calls then take the place of drawn ones",
    )
    parser.add_argument(
        "--format",
        dest="formats",
        action="append",
        default=[],
        metavar="ID",
        help="only this format of the catalogue; may be given again",
    )
    _add_comparison(parser)
    parser.add_argument("--into", metavar="FOLDER", help="write JSON, tables and plots there")
    parser.add_argument("--long", action="store_true", help="also what takes tens of minutes")
    parser.set_defaults(run=run)


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    """Adds what is said of the comparison of formats."""
    usual = Settings()
    for name, default, words in (
        ("rounds", usual.rounds, "rounds in which the reading is timed"),
        ("damages", usual.damages, "damaged messages of each format, of either kind"),
        ("sample", usual.sample, "messages that are damaged, cut and shown; sizes are of all"),
    ):
        parser.add_argument(
            f"--{name}", type=_positive, metavar="N", help=f"{words} (default: {default})"
        )
    parser.add_argument(
        "--limit", type=_positive, metavar="N", help="draw at most so many of the messages"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="from which all is drawn (default: 0)"
    )
    parser.add_argument(
        "--tokenizer",
        dest="tokenizers",
        action="append",
        default=[],
        metavar="FILE",
        help="count tokens with this tokenizer.json, as Hugging Face has them; may be repeated",
    )
    parser.add_argument(
        "--recorded",
        metavar="FILE",
        help="a log of your model, with the columns `text`, `format` and `tools`: its damages are "
        "drawn as often as they occur there",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=0,
        metavar="N",
        help="processes; 0 for one a processor (default)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the suites and returns the exit status."""
    scripts = _scripts()
    chosen: list[str] = arguments.suites
    if not chosen:
        # Own material and chosen formats are for the one suite; else a checkout runs all.
        only_formats = scripts is None or arguments.own or arguments.formats
        chosen = [_FORMATS] if only_formats else list(_SUITES)
    for suite in chosen:
        if suite not in _SUITES:
            raise InputError(f"unknown suite {suite!r}; there are {', '.join(_SUITES)}")
    if arguments.jobs < 0:
        raise InputError(f"--jobs must be 0 or more, got {arguments.jobs}")
    # Before minutes of measuring, not after them.
    if arguments.into:
        if Path(arguments.into).exists() and not Path(arguments.into).is_dir():
            raise InputError(f"--into {arguments.into}: it is a file; name a folder")
        require_extra()
    # Else they would be omitted in silence.
    if arguments.own and _FORMATS not in chosen:
        raise InputError("--with is for the suite `formats`; name it too")
    for suite in chosen:
        if suite == _FORMATS:
            _run_formats(arguments)
            continue
        if scripts is None:
            raise InputError(f"the suite {suite!r} needs a source checkout of toolgrammar")
        status = _run_script(scripts, suite, arguments)
        # The first failure ends the run: later suites would hide it.
        if status:
            return status
    return 0


def _scripts() -> Path | None:
    """Returns the folder of the other suites, where this is a source checkout."""
    folder = Path(__file__).resolve().parents[3] / "benchmarks"
    return folder if (folder / "parsers.py").exists() else None


def _run_script(scripts: Path, suite: str, arguments: argparse.Namespace) -> int:
    words = [sys.executable, str(scripts / f"{suite}.py")]
    if arguments.into:
        words += ["--into", str(Path(arguments.into).resolve())]
    if arguments.rounds:
        words += ["--rounds", str(arguments.rounds)]
    if arguments.long:
        words.append("--long")
    # Of the scripts only this one takes formats.
    if suite == _PARSERS:
        for name in arguments.formats:
            words += ["--format", formats.resolve(name).id]
    write_line(f"== {suite}")
    # The script writes by itself, so this line must be out before it begins.
    sys.stdout.flush()
    return subprocess.run(words, check=False).returncode  # noqa: S603 - a script of the checkout


def _run_formats(arguments: argparse.Namespace) -> None:
    material = _material(arguments)
    chosen = [formats.resolve(name) for name in arguments.formats] or list(formats.values())
    tokenizers, missing = _tokenizers(arguments.tokenizers)
    for words in missing:
        complain(words, "note")
    found = compare(
        # The caller's own formats come first.
        (*material.formats, *chosen),
        material.messages,
        tokenizers,
        _settings(arguments),
        jobs=arguments.jobs or os.cpu_count() or 1,
        tell=_Progress(),
    )
    if not found.rows:
        reasons = "; ".join(f"{row['format']}: {row['reason']}" for row in found.apart[:3])
        raise InputError(f"no format carries nearly all of the messages: {reasons}")
    names = list(tokenizers)
    # The first that counts tokens: a file, where one was given.
    main = next((name for name in names if name != CHARACTERS), CHARACTERS)
    statements = answers(found, main)
    write_table(*summary(found, main))
    write_line(about(found))
    if words := counted(main):
        write_line(words)
    for words in statements:
        write_line(f"- {words}")
    for row in found.apart:
        write_line(f"- {row['format']}: carries {row['carried']} of {row['of']} messages")
    if arguments.into:
        _write(Path(arguments.into), found, names, main, statements)


def _material(arguments: argparse.Namespace) -> Material:
    """Returns what the caller gave, with drawn messages where only formats were given, or nothing.

    Raises:
        InputError: files were given, and no call and no format is in them.
    """
    material = read_material(arguments.own, arguments.limit, arguments.seed)
    for words in material.notes():
        complain(words, "note")
    if not material.messages:
        # The caller's files hold nothing to measure: an error, rather than minutes on drawn messages.
        if arguments.own and not material.formats:
            raise InputError(
                f"no call was found in {', '.join(arguments.own)}: a .jsonl line has `calls`, "
                "`tool_calls` or `text`, a .txt file is the text of one message"
            )
        if material.skipped:
            complain("no call of your own was found: drawn ones are measured", "note")
        # Rounded up: with a limit of 3 there is one message of each shape, not none.
        each = -(-(arguments.limit or _MESSAGES) // len(SHAPES))
        material.messages.extend(drawn(arguments.seed, each))
    return material


def _tokenizers(paths: Sequence[str]) -> tuple[dict[str, Tokenizer], list[str]]:
    found, missing = installed()
    own: dict[str, Tokenizer] = {}
    for path in paths:
        try:
            tokenizer = from_file(Path(path))
        except ValueError as error:
            raise InputError(str(error)) from error
        own[tokenizer.name] = tokenizer
    # If the caller names a tokenizer, the missing others are not mentioned.
    # The caller's own come first: the first one counts in the answers.
    return {**own, **found}, [] if own else missing


def _settings(arguments: argparse.Namespace) -> Settings:
    usual = Settings()
    given = {name: getattr(arguments, name) for name in ("sample", "damages", "rounds")}
    weights = recorded(arguments.recorded) if arguments.recorded else usual.weights
    if not weights:
        raise InputError(f"--recorded {arguments.recorded}: no damage of a known kind in it")
    return replace(
        usual,
        seed=arguments.seed,
        weights=weights,
        **{name: value for name, value in given.items() if value},
    )


class _Progress:
    """Reports the progress of a run on stderr, every few seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, what: str, done: int, of: int) -> None:
        now = time.monotonic()
        # By the clock and not by the count: some formats take many times as long as others.
        if now - self._last >= _SECONDS:
            complain(f"{done} of {of} {what}", "progress")
            self._last = now


def _write(
    folder: Path, found: Comparison, tokenizers: list[str], main: str, statements: list[str]
) -> None:
    top = "## Answers\n\n" + "\n".join(f"- {words}" for words in statements)
    parts = [top, *sections(found, tokenizers)]
    write_suite(folder, "formats", "Formats", machine(), found.to_dict(), parts)
    draw(folder, found, main)


def _positive(text: str) -> int:
    # Not `int` alone, which takes `-1` and `1_0`.
    value = int(text) if text.strip().isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError("expected a number from 1")
    return value
