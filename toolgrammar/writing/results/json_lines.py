r"""Writes tool results for a format that has no text of its own for them: each is a line of JSON.

In: the result `21 °C` of `weather`. Out: `{"name": "weather", "content": "21 °C"}`; markup in it is
escaped, `<tool_call>` as `\u003ctool_call>`, so that it is not read as markup.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgrammar.values.errors import RenderError
from toolgrammar.values.patterns import late
from toolgrammar.writing.read_back import calls_in
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.results.quoted import as_unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolgrammar.writing.read_back import Writable
    from toolgrammar.writing.results.render_results import Answer, OnMarkup

_ANY_MARK: Final = late(r"[^\w\s\\]|_")
"""Matches characters that may be markup of some format; words and blanks are not."""


def json_lines(
    fmt: Writable,
    answers: Iterable[Answer],
    *,
    on_markup: OnMarkup = "escape",
    known: Iterable[str] = (),
) -> str:
    """Returns the results, a line each; "" for none.

    Args:
        fmt: the format that shall find no markup and no call in them.
        answers: the results, in the order of the calls.
        on_markup: what becomes of markup in a name or a content.
        known: the names of other tools that a content might call.

    Raises:
        RenderError: there is markup, and it is to be refused.
    """
    markup = Markup(fmt.header, fmt.tables)
    answers = list(answers)
    names = sorted({*known, *(answer.call.name for answer in answers)})
    lines = []
    for answer in answers:
        line = _line(answer, lambda text: text)
        written = _line(answer, lambda text: markup.escaped(text, as_unicode))
        # Some formats read a call without any opener, as `search(q="x")` or an object with a name.
        if calls_in(fmt, written, names):
            written = _line(answer, _all_escaped)
        if on_markup == "refuse" and written != line:
            found = markup.find(answer.content) or "what reads as a call"
            raise RenderError(
                f"the content of the result of {answer.call.name!r:.80} holds markup: {found}"
            )
        lines.append(written)
    return "\n".join(lines)


def _line(answer: Answer, escaped: Callable[[str], str]) -> str:
    # Each string separately, since an escape outside of a string is not JSON.
    name, content = (
        escaped(json.dumps(text, ensure_ascii=False)[1:-1])
        for text in (answer.call.name, answer.content)
    )
    return f'{{"name": "{name}", "content": "{content}"}}'


def _all_escaped(text: str) -> str:
    """Returns the inside of a JSON string with every mark in it escaped."""
    plain = json.loads(f'"{text}"')
    # Backslashes are doubled by JSON itself, and begin the escapes here.
    return "".join(
        as_unicode(each) if _ANY_MARK.search(each) else json.dumps(each, ensure_ascii=False)[1:-1]
        for each in plain
    )
