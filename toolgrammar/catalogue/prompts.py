"""Makes the prompt of a format, from the template on its page or from the generic template.

The template is filled with the tools, and with sample calls written in the format.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from toolgrammar.catalogue.features import features_of, sound_calls
from toolgrammar.catalogue.page import read_page_text
from toolgrammar.writing.prompts.prompt import fill_prompt, generic_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.catalogue.features import Paged
    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.prompts.prompt import Prompt


def prompt_of(fmt: Paged, tools: Sequence[ToolSpec]) -> Prompt:
    """Returns the instructions that teach a model a format, with the tools that it may call."""
    # The template of the page takes precedence over the generic one.
    template = read_page_text(fmt.page, str(fmt.page_path)).prompt
    if template is None:
        features = features_of(fmt)
        template = generic_template(features.payload, parallel=features.parallel)
    return fill_prompt(fmt, template, tools, list(islice(sound_calls(fmt), 2)))
