"""Counts the work of the hot paths: lines of the package that run, the same in every run.

`python -m tests.house.work` prints the counts, `--write` (`make baseline`) makes them the baseline.
Each count is of one job, warm: the interpreter is fresh, hashing is fixed, the collector is off.
Lines show loops as well as calls; what runs in C is not seen. Python versions count up to
`OTHER_VERSIONS` differently, so the baseline names its own.
"""

import gc
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

BASELINE = Path(__file__).with_name("work_baseline.json")
GROWTH = 0.10
"""How much a count may grow over the baseline."""
OTHER_VERSIONS = 0.06
"""How much more another minor version of Python may count."""

WARM = 40
"""Runs before the count: what is learned from messages is learned by then."""
FORMATS = ("deepseek_v3", "harmony", "hermes", "llama4_pythonic", "qwen3_xml", "react", "roo_xml")
"""One format of each family that reads differently."""
SENTENCE = 'Line {}: the café wrote "open {{10-18}}", then [closed] it; see a < b & c\\d.\n'
TOOLS: list[object] = [
    {
        "name": "save_note",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
        },
    }
]
DAMAGED = (
    '{"path": "a.md", body: \'it\\\'s\', "list": [1, 2,, 3], "deep": {"a": {"b": [True, '
    'None]}} // why\n "last": "the "quoted" word", "cut": "never closed'
)


def python() -> str:
    """The minor version that runs."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def lines_run(job: Callable[[], object], package: str) -> int:
    """How many lines of the package one run of a job takes."""
    count = 0

    def inside(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return inside

    def entered(frame: FrameType, _event: str, _argument: object) -> Any:
        return inside if frame.f_code.co_filename.startswith(package) else None

    gc.disable()
    before = sys.gettrace()
    sys.settrace(entered)
    try:
        job()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def jobs() -> dict[str, Callable[[], object]]:
    """The hot paths by name."""
    import toolgrammar

    found: dict[str, Callable[[], object]] = {}
    for format_id in FORMATS:
        format_ = toolgrammar.formats[format_id]
        for name, size in (("300 B", 300), ("4 KB", 4096)):
            text = message(format_, size)
            found[f"parse {format_id} {name}"] = _parse(text, format_id)
        found[f"stream {format_id} 1 KB"] = _stream(message(format_, 1024), format_id)
    hermes = message(toolgrammar.formats["hermes"], 300)
    found["parse auto 300 B"] = _parse(hermes, "auto")
    found["parse hermes damaged"] = _parse(hermes.replace("}}", "]").replace('"}', ""), "hermes")
    found["parse text"] = _parse(SENTENCE.format(0) * 50, "hermes")
    found["recover_json"] = lambda: toolgrammar.recover_json(DAMAGED)
    found["recover_json stream"] = _recover_stream
    found["batch lines"] = _batch(hermes)
    return found


def message(format_: Any, size: int) -> str:
    """A call with a long argument, of about this many bytes, as a format writes it."""
    import toolgrammar

    body = "".join(SENTENCE.format(number) for number in range(size // 70 + 1))[: size - 90]
    call = toolgrammar.ToolCall("save_note", {"path": "notes/summary.md", "body": body})
    text: str = format_.render([call])
    read = toolgrammar.parse(text, format_, tools=TOOLS)
    assert [each.arguments for each in read.calls] == [call.arguments]
    return text


def _parse(text: str, format_id: str) -> Callable[[], object]:
    import toolgrammar

    return lambda: toolgrammar.parse(text, format_id, tools=TOOLS)


def _stream(text: str, format_id: str) -> Callable[[], object]:
    import toolgrammar

    pieces = [text[start : start + 4] for start in range(0, len(text), 4)]

    def job() -> None:
        parser = toolgrammar.Parser(format_id, tools=TOOLS)
        for piece in pieces:
            parser.feed(piece)
        parser.close()

    return job


def _recover_stream() -> None:
    import toolgrammar

    parser = toolgrammar.JsonParser()
    for start in range(0, len(DAMAGED), 4):
        parser.feed(DAMAGED[start : start + 4])
    parser.close()


def _batch(text: str) -> Callable[[], object]:
    """What a process of a batch does with a hundred rows."""
    from toolgrammar.bulk.rows.chunk_work import written
    from toolgrammar.bulk.rows.parse_options import reading_of
    from toolgrammar.bulk.rows.row_fields import rows_of_lines

    data = (json.dumps({"id": 1, "text": text}) + "\n").encode() * 100
    reading = reading_of("hermes", {"tools": TOOLS}, column="text")

    class Rows:
        end = last = 100

        def rows(self, _: object) -> Any:
            return rows_of_lines(data, 1, 100, "text", ())

    return lambda: written(Rows(), reading)


def counts() -> dict[str, int]:
    """The lines that each job runs."""
    # Without it, or with it, messages are read by other code: here by what everybody has.
    sys.modules["jiter"] = None  # type: ignore[assignment]
    import toolgrammar

    package = str(Path(toolgrammar.__file__).parent) + os.sep
    found = {}
    for name, job in jobs().items():
        for _ in range(5 if name.startswith("stream") or name == "batch lines" else WARM):
            job()
        found[name] = lines_run(job, package)
    return found


def grown(found: dict[str, int], wanted: dict[str, int], allowed: float) -> dict[str, str]:
    """The jobs that do more than the baseline allows, and how much."""
    return {
        name: f"{wanted[name]} → {count} (+{count / wanted[name] - 1:.0%})"
        for name, count in found.items()
        if name in wanted and count > wanted[name] * (1 + allowed)
    }


def main() -> None:
    """Writes the counts to standard output; makes them the baseline with `--write`."""
    found = {"python": python(), "lines": counts()}
    text = json.dumps(found, indent=1) + "\n"
    if "--write" in sys.argv[1:]:
        BASELINE.write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
