"""Reads the page of a format: its title, examples, tools and prompt.

A page is plain Markdown. An example is a heading `### One call`, a fence `text example`, and a fence
`json` with the expected result: it gives `Example(name="One call", slug="one-call", text=…)`. The
fence `json tools` has the tools of the page, and the fence `prompt` the text that teaches a model the
format. Everything else is prose.
"""

import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from toolgrammar.grammar.files import read_text
from toolgrammar.values.json_types import JsonValue
from toolgrammar.values.patterns import late
from toolgrammar.writing.prompts.prompt import PLACEHOLDERS, unknown_placeholders

EXPECTED_KEYS = (
    "calls", "codes", "content", "id", "note", "prefix",
    "reasoning", "source", "status", "tier", "tools",
)  # fmt: skip
"""The keys that an expected result may have."""

_HELD = {
    "calls": "a list of objects",
    "tools": "a list of objects or null",
    "codes": "a list of strings",
    "status": "a list of strings",
    "tier": "`well_formed`, `edge`, `malformed` or `negative`",
}
"""What an expectation has under a key, if it is not a text."""
_TIERS = ("well_formed", "edge", "malformed", "negative")

_EXAMPLE_LEVEL = 3
# A heading may end with signs too: `### Two calls ###`.
_HEADING = late(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
# As in Markdown, a line with more backticks is inline code; after tildes they are allowed.
_FENCE = late(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*?)[ \t]*$")
# The last alternative matches a lone backslash, so that unknown escapes are found and refused.
_ESCAPE = late(r"\\(?:([nrt\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|)")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


class PageError(ValueError):
    """Raised if a page is wrong; the message has the file, the line and how to mend it."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}")
        self.name = name
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a page."""

    name: str
    """The heading above it."""
    slug: str
    """The name of its test: the heading in lower case, its words joined by hyphens."""
    text: str
    """The text that a model wrote."""
    expected: dict[str, JsonValue]
    """The expected result of parsing the text, under the keys of `EXPECTED_KEYS`."""
    line: int
    """The line on which the fence of the text opens, from 1."""
    golden: tuple[int, int]
    """The lines on which the fence of the expected result opens and closes, from 1."""


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a page that are checked or used: title, examples, tools and prompt."""

    title: str
    """The first heading of level one; "" if there is none."""
    examples: tuple[Example, ...]
    """The examples, in the order of the page."""
    tools: list[JsonValue] | None
    """The tools of the fence `json tools`; None if there is no such fence."""
    name: str = ""
    """The name of the file, for messages."""
    prompt: str | None = None
    """The text of the fence `prompt`; None if there is no such fence."""


class _Heading(NamedTuple):
    level: int
    text: str
    line: int


class _Fence(NamedTuple):
    info: str
    text: str
    line: int
    end: int


def read_page(path: str | Path) -> Page:
    """Returns the page in a file.

    Raises:
        PageError: the page can't be read; the message has the file, the line and how to mend it.
            It is the first of several findings; the others are its notes.
    """
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} is not UTF-8; save the page as UTF-8"
        raise PageError(str(path), 1, problem) from None
    return read_page_text(text, str(path))


def read_page_text(text: str, name: str) -> Page:
    """Returns the page with the given text; `name` is its name in error messages."""
    return _Reader(name).read(text)


def slug_of(heading: str) -> str:
    """Returns the test name of a heading: `Two calls` gives `two-calls`."""
    return re.sub(r"\W+", "-", heading.lower()).strip("-")


def _holds(key: str, value: JsonValue) -> bool:
    """Whether an expectation may have a value under a key; a text in place of a list would be its letters."""
    # `null` says that no tools are known, although the page gives some.
    if key == "tools" and value is None:
        return True
    if key in ("calls", "tools"):
        return isinstance(value, list) and all(isinstance(each, dict) for each in value)
    if key in ("codes", "status"):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if key == "tier":
        return value in _TIERS
    return value is None or isinstance(value, str)


class _Reader:
    """Collects the parts of one page."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._title = ""
        self._heading: _Heading | None = None
        self._text: _Fence | None = None
        self._examples: list[Example] = []
        self._lines_by_slug: dict[str, int] = {}
        self._tools: list[JsonValue] | None = None
        self._prompt: str | None = None

    def read(self, text: str) -> Page:
        findings: list[PageError] = []
        for block in [*_blocks(text, self._name), None]:
            try:
                self._take(block)
            except PageError as error:
                findings.append(error)
                self._text = None  # The fences of one example are told of once.
        if findings:
            for other in findings[1:]:
                findings[0].add_note(str(other))
            raise findings[0]
        return Page(self._title, tuple(self._examples), self._tools, self._name, self._prompt)

    def _take(self, block: _Heading | _Fence | None) -> None:
        """Takes a part of the page, or its end."""
        if isinstance(block, _Fence):
            self._take_fence(block)
        elif block is not None:
            self._take_heading(block)
        else:
            self._refuse_waiting_text()

    def _take_heading(self, heading: _Heading) -> None:
        if heading.level == 1 and not self._title:
            self._title = heading.text
        # Only headings of level three name examples.
        self._heading = heading if heading.level == _EXAMPLE_LEVEL else None
        # An example without an expected result is a mistake of the author, and would never be tested.
        self._refuse_waiting_text()

    def _take_fence(self, fence: _Fence) -> None:
        words = fence.info.split()
        if words[:2] == ["text", "example"]:
            self._take_text(fence, words[2:])
        elif self._text is not None:
            # Any other fence after the text means that the expected result is missing.
            if words != ["json"]:
                self._refuse_waiting_text()
            text, self._text = self._text, None
            self._take_expectation(text, fence)
        elif words == ["json", "tools"]:
            self._take_tools(fence)
        elif words == ["prompt"]:
            self._take_prompt(fence)

    def _take_text(self, fence: _Fence, options: list[str]) -> None:
        self._refuse_waiting_text()
        if self._heading is None:
            raise self._error(
                fence.line, "this example has no name; put a heading `### …` above it"
            )
        if options not in ([], ["escapes"]):
            raise self._error(
                fence.line,
                f"unknown words after `text example`: {' '.join(options)!r}; only `escapes` is known",
            )
        # `escapes` is for characters that Markdown or editors change, such as `\r\n` and U+FEFF.
        text = self._unescape(fence) if options else fence.text
        self._text = fence._replace(text=text)

    def _take_expectation(self, text: _Fence, fence: _Fence) -> None:
        heading = cast("_Heading", self._heading)
        slug = slug_of(heading.text)
        # Slugs are names of tests, so they have to be unique.
        if slug in self._lines_by_slug:
            raise self._error(
                text.line,
                f"the name {slug!r} is taken by the example on line {self._lines_by_slug[slug]}; "
                "give this one a heading of its own",
            )
        expected = self._json(fence)
        if not isinstance(expected, dict):
            raise self._error(fence.line, 'an expectation is an object: `{"calls": […]}`')
        for key in expected:
            if key not in EXPECTED_KEYS:
                # A misspelt key would assert nothing.
                nearest = difflib.get_close_matches(key, EXPECTED_KEYS, 1)
                mend = f"did you mean {nearest[0]!r}?" if nearest else f"known: {EXPECTED_KEYS}"
                raise self._error(fence.line, f"unknown key {key!r} in an expectation; {mend}")
            if not _holds(key, expected[key]):
                wanted = _HELD.get(key, "a string or null")
                got = json.dumps(expected[key], ensure_ascii=False)
                raise self._error(
                    fence.line, f"`{key}` in an expectation is {wanted}, got {got:.40}"
                )
        self._lines_by_slug[slug] = text.line
        golden = (fence.line, fence.end)
        self._examples.append(Example(heading.text, slug, text.text, expected, text.line, golden))

    def _take_tools(self, fence: _Fence) -> None:
        if self._tools is not None:
            raise self._error(fence.line, "a second fence `json tools`; join it with the first")
        tools = self._json(fence)
        if not isinstance(tools, list):
            raise self._error(fence.line, "`json tools` holds a list of tools: `[…]`")
        self._tools = tools

    def _take_prompt(self, fence: _Fence) -> None:
        if self._prompt is not None:
            raise self._error(fence.line, "a second fence `prompt`; join it with the first")
        for name in unknown_placeholders(fence.text):
            nearest = difflib.get_close_matches(name, PLACEHOLDERS, 1)
            mend = f"did you mean {nearest[0]!r}?" if nearest else f"known: {PLACEHOLDERS}"
            raise self._error(fence.line, f"unknown placeholder {name!r} in a prompt; {mend}")
        # The text of a fence lacks the last line end, which belongs to the prompt.
        self._prompt = fence.text + "\n"

    def _refuse_waiting_text(self) -> None:
        if self._text is not None:
            raise self._error(
                self._text.line,
                "this example has no expectation; put a fence `json` right after it",
            )

    def _json(self, fence: _Fence) -> JsonValue:
        try:
            return cast("JsonValue", json.loads(fence.text))
        except json.JSONDecodeError as error:
            # The first line of the JSON is one below the fence.
            raise self._error(
                fence.line + error.lineno, f"this is not JSON: {error.msg} (column {error.colno})"
            ) from None

    def _unescape(self, fence: _Fence) -> str:
        def decoded(match: re.Match[str]) -> str:
            plain, short, long = match.groups()
            if plain:
                return _PLAIN_ESCAPES[plain]
            code = int(short or long or "-1", 16)
            # A lone backslash has no digits and gives -1, which is refused too.
            if not 0 <= code <= 0x10FFFF:
                line = fence.line + 1 + fence.text.count("\n", 0, match.start())
                found = fence.text[match.start() : match.start() + 10]
                raise self._error(
                    line,
                    f"unknown escape in {found!r}; write \\n \\r \\t \\\\ \\uXXXX or \\UXXXXXXXX",
                )
            return chr(code)

        return _ESCAPE.sub(decoded, fence.text)

    def _error(self, line: int, problem: str) -> PageError:
        return PageError(self._name, line, problem)


def _blocks(text: str, name: str) -> Iterator[_Heading | _Fence]:
    """Yields the headings and fences of a page; a heading inside a fence is text."""
    # Only "\n" ends a line: `splitlines` would also cut at U+2028 inside an example.
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        if heading := _HEADING.match(line):
            yield _Heading(len(heading[1]), heading[2], index + 1)
        elif opener := _FENCE.match(line):
            # CommonMark ends an open fence at the end of the file; here it is likely a mistake.
            end = _closing_line(lines, index + 1, opener[1])
            if end is None:
                raise PageError(
                    name, index + 1, f"this fence is never closed; add a line `{opener[1]}`"
                )
            yield _Fence(opener[2], "\n".join(lines[index + 1 : end]), index + 1, end + 1)
            index = end
        index += 1


def _closing_line(lines: list[str], first: int, marks: str) -> int | None:
    """Returns the index of the line that closes a fence; None if there is none."""
    # As in CommonMark: at least as many marks as opened it, and no text after them.
    closer = re.compile(rf" {{0,3}}{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$")
    return next((at for at in range(first, len(lines)) if closer.match(lines[at])), None)
