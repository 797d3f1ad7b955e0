r"""Doubts a call whose text holds its own opener: the model may have broken off and begun anew.

Example: the text of the call in "```bash\nls -l```bash\nls -la\n```" is no script that was meant. The
opener counts with the name behind it, as prose may hold the mark alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

CODE: Final = "unread-call"
"""The code of the doubt: the text may hold a call that could not be read."""
_LONGEST: Final = 96
"""The most characters of an opener."""
_OPENER = late(r"<[^\W\d][^<>\n]{0,64}>|[^\w\s<>]{1,9} ?[\w.-]{1,64}|[A-Z]\w{1,32}: [\w.-]{1,64}")
"""A tag, or a mark or label and the word behind it, as in "```bash" or `Action: search`."""


def doubt_begun_anew(builder: Builder, draft: Draft) -> None:
    """Doubts the open call if its opener stands in the text that it carries."""
    if draft.inputs is None or draft.doubts or draft.start < 0:
        return
    opener = _OPENER.match(builder.source.slice(draft.start, draft.start + _LONGEST))
    if opener is None:
        return
    # Where the text of the call is all of it, it begins with the opener.
    first = len(opener[0]) if draft.arguments_start <= draft.start else 0
    if "".join(draft.inputs).find(opener[0], first) < 0:
        return
    draft.doubts.append(CODE)
    message = f"Found `{opener[0][:40]}` in the text of a call that begins so; it may be another"
    builder.report(CODE, "error", message, Span(draft.start, draft.start))
