"""Measures formats on the same calls: size, speed, robustness, and how early a call is known."""

from __future__ import annotations

import gc
import json
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toolgrammar.cli.bench.damage import damages, outcome, same_calls
from toolgrammar.cli.bench.material import Message, long_message, of_page
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import CallEnd, CallStart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.cli.bench.tokens import Count
    from toolgrammar.values.calls import ParseResult

DELTA = 4
"""Characters of a streamed delta."""
_LONG = 4096
_SLICE = 0.002
"""Seconds that one job runs in one round."""
# What other processes take is not counted, where that clock is fine enough.
_IS_FINE = time.get_clock_info("process_time").resolution < 1e-5
_clock = time.process_time if _IS_FINE else time.perf_counter


@dataclass
class Case:
    """One format and the messages that it carries, written in it."""

    form: Format
    """The format."""
    messages: list[tuple[Message, str]]
    """The messages, each with its text."""
    refused: list[str]
    """The names of the messages that it can't carry."""
    is_own: bool
    """Whether the messages are those of its own page: then sizes do not compare with others'."""
    long: tuple[Message, str] | None
    """A long message, where the format carries it."""
    row: dict[str, Any] = field(default_factory=dict)
    """What was measured."""


def cases(forms: Iterable[Format], messages: Sequence[Message]) -> tuple[list[Case], list[str]]:
    """Returns a case for each format that has a message, and what is to be said of the others."""
    found: list[Case] = []
    skipped: list[str] = []
    long = long_message(_LONG)
    for form in forms:
        carried, refused = _carried(form, messages)
        # One call of five says little: its own calls say more of such a format.
        of_own = _carried(form, of_page(form))[0] if len(carried) * 2 < len(messages) else []
        is_own = bool(of_own)
        carried = of_own or carried
        if not carried:
            skipped.append(f"{form.id}: it can't carry one of the messages")
            continue
        long_carried = _carried(form, [long])[0]
        found.append(
            Case(form, carried, refused, is_own, long_carried[0] if long_carried else None)
        )
    return found, skipped


def measure(
    found: Sequence[Case], tokenizers: Mapping[str, Count], *, rounds: int, damaged: int
) -> list[dict[str, Any]]:
    """Measures all cases and returns a row for each."""
    for case in found:
        case.row.update(
            {
                "format": case.form.id,
                "family": case.form.family,
                "messages": len(case.messages),
                "refused": case.refused,
                "own_calls": case.is_own,
            }
        )
        _size(case, tokenizers)
        _earliest(case)
    # Before the damages: a format whose messages keep failing is no longer read the short way.
    _speed(found, rounds)
    for case in found:
        _robustness(case, damaged)
    return [case.row for case in found]


def _carried(
    form: Format, messages: Iterable[Message]
) -> tuple[list[tuple[Message, str]], list[str]]:
    """Returns the messages that the format carries and reads back, and the names of the rest."""
    carried: list[tuple[Message, str]] = []
    refused: list[str] = []
    for message in messages:
        text = _written(form, message)
        if text is None:
            refused.append(message.name)
        else:
            carried.append((message, text))
    return carried, refused


def _written(form: Format, message: Message) -> str | None:
    """Returns the message in the format, or None where it does not come back as it was."""
    # A format of JSON alone can't carry a free text: the call is tried by its arguments, too.
    as_json = tuple(replace(call, input=None) if call.arguments else call for call in message.calls)
    for calls in (message.calls, as_json):
        try:
            text = form.render(calls)
        except RenderError:
            continue
        # Read back with the tools, as a caller would do it.
        found = parse(text, format=form, tools=message.tools)
        if same_calls(found.calls, message.calls):
            return text
    return None


def bare_json(message: Message) -> str:
    """Returns the calls as JSON, written as models write it, with nothing around it."""
    calls = [
        {"name": call.name, "arguments": call.input or call.arguments} for call in message.calls
    ]
    return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)


def _size(case: Case, tokenizers: Mapping[str, Count]) -> None:
    counts: dict[str, Count] = {"characters": len, **tokenizers}
    for name, count in counts.items():
        own = sum(count(text) for _, text in case.messages)
        bare = sum(count(bare_json(message)) for message, _ in case.messages)
        case.row[name] = own
        case.row[f"{name}_bare"] = bare
        case.row[f"{name}_overhead"] = own / bare - 1


def _earliest(case: Case) -> None:
    """Notes the share of the characters after which name and call are known, in the mean."""
    names: list[float] = []
    calls: list[float] = []
    for message, text in case.messages:
        if len(message.calls) > 1:
            # With several calls the share would say where in the message a call stands.
            continue
        parser = Parser(case.form, tools=message.tools)
        for place, letter in enumerate(text, 1):
            for event in parser.feed(letter):
                match event:
                    case CallStart():
                        names.append(place / len(text))
                    case CallEnd():
                        calls.append(place / len(text))
                    case _:
                        pass
        # What only the end of the text tells is known when all of it is there.
        for event in parser.close():
            match event:
                case CallStart():
                    names.append(1.0)
                case CallEnd():
                    calls.append(1.0)
                case _:
                    pass
    case.row["name_known"] = sum(names) / len(names) if names else None
    case.row["call_known"] = sum(calls) / len(calls) if calls else None


def _speed(found: Sequence[Case], rounds: int) -> None:
    """Notes how long a message takes; all formats run in turn in every round."""
    jobs: list[tuple[Case, str, Callable[[], object], float]] = []
    for case in found:
        # Rounded up: the last delta may be shorter.
        deltas = sum(-(-len(text) // DELTA) for _, text in case.messages)
        jobs.append((case, "parse_us", _whole(case.form, case.messages), len(case.messages)))
        jobs.append((case, "delta_us", _streamed(case.form, case.messages), deltas))
        if case.long is not None:
            jobs.append((case, "parse_long_us", _whole(case.form, [case.long]), 1))
            pieces = -(-len(case.long[1]) // DELTA)
            jobs.append((case, "delta_long_us", _streamed(case.form, [case.long]), pieces))
    repeats = []
    for _, _, job, _ in jobs:
        # The first runs fill the caches, and say how long one takes.
        first = min(_seconds(job, 1) for _ in range(3))
        # As many runs as fill a slice of a round.
        repeats.append(max(1, min(500, int(_SLICE / max(first, 1e-6)))))
    # What was made so far is left out of collections, which any of the jobs may set off.
    gc.collect()
    gc.freeze()
    best = [float("inf")] * len(jobs)
    # In turn, so that a slow spell of the machine meets all alike.
    for _ in range(rounds):
        for index, (_, _, job, _) in enumerate(jobs):
            # The least, not the mean: other work on the machine only ever makes a run longer.
            best[index] = min(best[index], _seconds(job, repeats[index]))
    gc.unfreeze()
    for seconds, (case, name, _, parts) in zip(best, jobs, strict=True):
        case.row[name] = seconds * 1e6 / parts
    for case in found:
        if case.long is not None:
            case.row["long_characters"] = len(case.long[1])


def _whole(form: Format, messages: Sequence[tuple[Message, str]]) -> Callable[[], object]:
    def job() -> None:
        for message, text in messages:
            _read(parse(text, format=form, tools=message.tools))

    return job


def _streamed(form: Format, messages: Sequence[tuple[Message, str]]) -> Callable[[], object]:
    cut = [
        (message, [text[at : at + DELTA] for at in range(0, len(text), DELTA)])
        for message, text in messages
    ]

    def job() -> None:
        for message, pieces in cut:
            parser = Parser(form, tools=message.tools)
            for piece in pieces:
                parser.feed(piece)
            parser.close()
            _read(parser.result)

    return job


def _read(result: ParseResult) -> list[tuple[object, ...]]:
    """Takes what callers take; what is decoded late is decoded here."""
    return [(call.name, call.arguments, result.text, call.status) for call in result.calls]


def _seconds(job: Callable[[], object], repeats: int) -> float:
    start = _clock()
    for _ in range(repeats):
        job()
    return (_clock() - start) / repeats


def _robustness(case: Case, damaged: int) -> None:
    """Notes the shares of one-character damages by what is read then."""
    counts = dict.fromkeys(("exact", "noticed", "lost", "wrong"), 0)
    each = max(1, damaged // len(case.messages))
    for message, text in case.messages:
        for broken in damages(text, message, each, message.name):
            counts[outcome(broken, case.form, message)] += 1
    # Less than was asked for, where a text has few places to damage.
    total = sum(counts.values())
    case.row["damages"] = total
    for name, count in counts.items():
        case.row[name] = count / total if total else None
