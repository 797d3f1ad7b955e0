"""A whole agent loop: stream, parse, run, feed back; a scripted model, real files.

The model is played by a script that looks at the conversation before it answers, so the loop has to
get the results right. Its tools work on files in a temporary folder. Run it:

    pip install 'toolgrammar[exec]'
    python examples/agent.py
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toolgrammar import Event, TextDelta, stream
from toolgrammar.engine import (
    ApprovalRequest,
    Engine,
    MemorySink,
    Tool,
    UserError,
    to_messages,
)

FORMAT = "hermes"
QUESTION = "Which of my notes mention rain? Put their names into rainy.txt and drop old.txt."


class Files:
    """The tools: a folder, and what may be done in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def list_files(self) -> list[str]:
        """Names of all files."""
        return sorted(path.name for path in self.folder.iterdir())

    def read_file(self, name: str) -> str:
        """The text of a file."""
        return self._path(name).read_text(encoding="utf-8")

    def write_file(self, name: str, lines: list[str]) -> str:
        """Writes lines to a file."""
        text = "".join(f"{line}\n" for line in lines)
        path = self.folder / Path(name).name
        path.write_text(text, encoding="utf-8", newline="\n")
        return f"{len(lines)} lines"

    def delete_file(self, name: str) -> None:
        """Deletes a file for good."""
        self._path(name).unlink()

    def _path(self, name: str) -> Path:
        path = self.folder / Path(name).name
        if not path.is_file():
            # The model's mistake: it reads this text and can mend its call.
            raise UserError(f"there is no file {name!r}; list_files tells what there is")
        return path


def call(name: str, arguments: str) -> str:
    """A call as the model writes it."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>\n'


def model(conversation: list[dict[str, Any]]) -> Iterator[str]:
    """Plays the model: answers what was said last, in pieces of a few characters."""
    said = str(conversation[-1]["content"])
    if said == QUESTION:
        answer = "I look for notes first.\n" + call("list_files", "{}")
    elif "monday.txt" in said:
        answer = "Three to read.\n" + "".join(
            call("read_file", f'{{"name": "{name}"}}')
            for name in ("monday.txt", "tusday.txt", "friday.txt")
        )
    elif "there is no file" in said:
        answer = "A slip of mine.\n" + call("read_file", '{"name": "tuesday.txt"}')
    elif "wind and rain" in said:
        # One string where a list is wanted: the engine says so, and nothing is written.
        answer = call("write_file", '{"name": "rainy.txt", "lines": "monday.txt"}')
    elif "valid list" in said:
        answer = "A list, then.\n" + call(
            "write_file", '{"name": "rainy.txt", "lines": ["monday.txt", "tuesday.txt"]}'
        )
        answer += call("delete_file", '{"name": "old.txt"}')
    else:
        answer = "Done: rainy.txt names two notes, old.txt is gone."
    return (answer[start : start + 4] for start in range(0, len(answer), 4))


def kept(chunks: Iterator[str], pieces: list[str]) -> Iterator[str]:
    """Keeps the pieces of an answer for the conversation, and hands them on."""
    for chunk in chunks:
        pieces.append(chunk)
        yield chunk


def shown(events: Iterator[Event]) -> Iterator[Event]:
    """Prints the text of an answer as it comes, and hands the events on."""
    for event in events:
        if isinstance(event, TextDelta) and event.text.strip():
            print(event.text.strip("\n"), end="", flush=True)
        yield event


def approve(request: ApprovalRequest) -> bool:
    """Stands for the person at the screen, who is asked before anything is deleted."""
    print(f"\n  ? {request.call.name} {request.arguments}: yes")
    return True


def turn(engine: Engine, conversation: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lets the model answer once, runs its calls meanwhile, and returns what to tell it."""
    print("\nmodel: ", end="")
    pieces: list[str] = []
    events = stream(kept(model(conversation), pieces), format=FORMAT, tools=engine)
    results = list(engine.stream_sync(shown(events)))
    print()
    conversation.append({"role": "assistant", "content": "".join(pieces)})
    # They come as they finish; each knows its call, and `to_messages` puts them in order.
    for result in sorted(results, key=lambda result: result.index or 0):
        print(f"  {'+' if result.ok else '!'} {result.call.name}: {result.content!r}")
    told = to_messages(results, FORMAT, tools=engine)
    if lost := events.result.lost_feedback():
        told.append({"role": "user", "content": lost})
    return told


def main() -> None:
    """Asks the question and loops until an answer has no calls."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for note, text in {
            "monday.txt": "Rain all day.",
            "tuesday.txt": "Much wind and rain.",
            "friday.txt": "Sun at last.",
            "old.txt": "Nothing.",
        }.items():
            (folder / note).write_text(text, encoding="utf-8")
        files, sink = Files(folder), MemorySink()
        engine = Engine(
            [
                Tool(files.list_files, approval=False),
                Tool(files.read_file, approval=False),
                Tool(files.write_file, approval=False),
                Tool(files.delete_file, approval=True),
            ],
            timeout=10,
            approval=approve,
            trace=sink,
        )
        conversation: list[dict[str, Any]] = [{"role": "user", "content": QUESTION}]
        print(f"user: {QUESTION}")
        while told := turn(engine, conversation):
            conversation += told
        print(f"\nrainy.txt: {(folder / 'rainy.txt').read_text(encoding='utf-8').split()}")
        print(f"files: {files.list_files()}")
        ended = [event.payload for event in sink.events if event.name == "call.end"]
        print(f"calls: {len(ended)}, of which {sum(not end['ok'] for end in ended)} failed")


if __name__ == "__main__":
    try:
        main()
    except ImportError as missing:
        sys.exit(f"{Path(__file__).name}: {missing}")
