"""The page of all codes, written from their table with one real example each.

`python -m tests.house.recovery_page` writes docs/recovery.md; a test holds it current.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import toolgrammar
from tests.house.checkout import ROOT
from toolgrammar.grammar.files import read_text
from toolgrammar.interop import openai
from toolgrammar.values.codes import CODES, DOUBTS, CodeEntry

PAGE = ROOT / "docs" / "recovery.md"
EXAMPLES = ROOT / "tests" / "cases" / "codes.jsonl"
API = "openai"
STREAM = "openai, streamed"
NO_EXAMPLE = f"give {EXAMPLES.relative_to(ROOT).as_posix()} one line for each code, in the order of values/codes.py"
_LONGEST = 400
_HEAD = """\
# Recovery

What a model breaks is mended where that can be done without guessing, and said where it can't. Each finding is a [`Diagnostic`](../toolgrammar/values/diagnostics.py) with one of the codes below. A code never changes its meaning.

- `info`: something is worth knowing; nothing in the text has to change. A call with a JSON value that its schema converts (`schema-type`) is as `complete` as without it, in `parse`; `recover_json` calls such a value `repaired`.
- `warning`: a safe repair, or markup that a text speaks of. The call is `repaired` and may run.
- `error`: something is lost, cut off, past a limit or a guess. A guess is a *doubt*: its code stands in `call.doubts`, and the call is not `executable`. [trust.md](trust.md) says what may run.

`diagnostic.edits` say what has to change in the text to make it sound: `toolgrammar explain FILE` shows each at its place. With all edits made, `strict=True` reads the same names and arguments. That is a law, with these limits:

- A call that is `unreadable`, or ends under `malformed-call`, has no edits that make it sound, and the law says nothing of a message with such a call.
- The edits of a `truncated` call close what has come of it, so that the strict reading shows it as it was read. They complete nothing: the rest of the call is still missing, so do not run what they give. Where nobody can say how the cut text goes on (half a closer, half a number, Python arguments), there are no edits, and the strict reading has no such call.
- `schema-type` has no edit: the text is sound JSON, and its schema types it.

This page is written by `make docs`; every example is read when it is written.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A text that shows one code, and how it is read."""

    code: str
    format: str
    text: str
    options: dict[str, Any]

    def result(self) -> toolgrammar.ParseResult:
        """Reads the text; what is no UTF-8 in it is read as bytes.

        A bare payload, which has no format, is read by `recover_json`; a message of an API, and
        a stream of its deltas, is repaired.
        """
        if self.format == STREAM:
            choices = [{"choices": [{"delta": delta}]} for delta in json.loads(self.text)]
            last = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
            stream = openai.repair_stream([*choices, last], None, **self.options)
            assert list(stream)
            return replace(stream.result, source=self.text)
        if self.format == API:
            message = openai.repair_message(json.loads(self.text), None, **self.options)
            return replace(message.result, source=self.text)
        text: str | bytes = self.text
        if not self.format:
            found = toolgrammar.recover_json(self.text, **self.options)
            value = found.value if isinstance(found.value, dict) else {}
            doubts = tuple({each.code for each in found.diagnostics} & set(DOUBTS))
            call = toolgrammar.ToolCall("", value, status=found.status, doubts=doubts)
            return toolgrammar.ParseResult((call,), source=self.text, diagnostics=found.diagnostics)
        if any("\udc80" <= character <= "\udcff" for character in self.text):
            text = self.text.encode("utf-8", "surrogateescape")
        return toolgrammar.parse(text, format=self.format, **self.options)

    @property
    def given(self) -> tuple[toolgrammar.Diagnostic, ...]:
        """The diagnostics that bear the code."""
        return tuple(found for found in self.result().diagnostics if found.code == self.code)


@cache
def examples() -> tuple[Example, ...]:
    """The examples, in the order of the table of codes."""
    rows = [json.loads(line) for line in read_text(EXAMPLES).splitlines() if line]
    return tuple(
        Example(row.pop("code"), row.pop("format"), row.pop("text"), _options(row)) for row in rows
    )


def _options(row: dict[str, Any]) -> dict[str, Any]:
    limits = row.pop("limits", None)
    return row if limits is None else {**row, "limits": toolgrammar.Limits(**limits)}


def page() -> str:
    """The text of the page."""
    by_code = {example.code: example for example in examples()}
    missing = sorted(CODES.keys() - by_code.keys())
    assert not missing, f"{NO_EXAMPLE}: {', '.join(missing)}"
    sections = (_section(entry, by_code[entry.code]) for entry in CODES.values())
    return "\n".join([_HEAD, _table(), *sections])


def _table() -> str:
    rows = ["| code | severity | meaning |", "|---|---|---|"]
    for entry in CODES.values():
        doubt = ", a doubt" if entry.doubt else ""
        meaning = entry.meaning.replace("|", "\\|")
        rows.append(f"| [`{entry.code}`](#{entry.code}) | {entry.severity}{doubt} | {meaning} |")
    return "\n".join(rows) + "\n"


def _section(entry: CodeEntry, example: Example) -> str:
    lines = [f"## {entry.code}", "", entry.meaning, ""]
    setting = "".join(f", {name}" for name in _settings(example))
    readers = {"": "`recover_json`", API: "`interop.openai.repair_message`"}
    readers[STREAM] = "The deltas of a completion, by `interop.openai.repair_stream`"
    reader = readers.get(example.format, f"Format `{example.format}`")
    lines += [f"{reader}{setting}:", "", *_fenced(_shown(example.text)), ""]
    given, result = example.given, example.result()
    if not given:
        lines += ["This version does not report it here yet.", ""]
        return "\n".join(lines)
    said = [
        f"{found.severity} {found.code} at {found.span.start}: {found.message}" for found in given
    ]
    said += [
        f"{call.status}: {call.name or 'value'} {json.dumps(call.arguments, ensure_ascii=False)}"
        for call in result.calls
    ]
    lines += ["gives", "", *_fenced(_shown("\n".join(said))), ""]
    mended = edited(result)
    if mended != result.source:
        lines += ["and, with its edits made,", "", *_fenced(_shown(mended)), ""]
    return "\n".join(lines)


def _settings(example: Example) -> list[str]:
    found = []
    for name, value in example.options.items():
        shown = "with tools" if name == "tools" else f"`{name}={value!r}`"
        if isinstance(value, toolgrammar.Limits):
            plain = toolgrammar.Limits()
            fields = ("max_chars", "max_depth", "max_calls")
            other = {f: getattr(value, f) for f in fields if getattr(value, f) != getattr(plain, f)}
            shown = " ".join(f"`{name}={size}`" for name, size in other.items())
        found.append(shown)
    return found


def edited(result: toolgrammar.ParseResult) -> str:
    """The source with all edits made, from its end to its start."""
    text = result.source
    edits = [edit for diagnostic in result.diagnostics for edit in diagnostic.edits]
    for edit in sorted(edits, key=lambda each: each.span.start, reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return text


def _shown(text: str) -> str:
    """A text as Markdown may hold it: bytes and odd white space are written out."""
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = text.replace("\u00a0", "<U+00A0>")
    middle = f"\n… {len(text) - _LONGEST} characters …\n"
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else text[:half] + middle + text[-half:]


def _fenced(text: str) -> list[str]:
    return ["~~~text", text, "~~~"]


def main(path: Path = PAGE) -> None:
    """Writes the page."""
    path.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
