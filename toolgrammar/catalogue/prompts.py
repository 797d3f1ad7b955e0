"""Makes the prompt of a format, from the template on its page or from the generic template.

The template is filled with the tools, and with sample calls written in the format.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from toolgrammar.catalogue.features import features_of, sound_calls
from toolgrammar.catalogue.page import read_page_text
from toolgrammar.writing.prompts.prompt import fill_prompt, generic_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.catalogue.features import Paged
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.prompts.prompt import Prompt


def prompt_of(fmt: Paged, tools: Sequence[ToolSpec]) -> Prompt:
    """Returns the instructions that teach a model a format, with its tools."""
    template, calls = _template_and_calls(fmt, fmt.page)
    return fill_prompt(fmt, template, tools, calls)


# To find out what a format can do, calls are written in it and read back: each prompt would do so
# anew. The page may have been edited since.
@lru_cache(maxsize=256)
def _template_and_calls(fmt: Paged, page: str) -> tuple[str, list[ToolCall]]:
    # What a page says itself goes before the general text.
    template = read_page_text(page, str(fmt.page_path)).prompt
    if template is None:
        features = features_of(fmt)
        template = generic_template(features.payload, parallel=features.parallel)
    return template, list(islice(sound_calls(fmt), 2))
