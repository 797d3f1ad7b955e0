r"""Determines what a format needs before a message: special tokens, and the end of the prompt.

Example: a prompt that ends with `<think>\n` has opened the reasoning of many formats, so the
message begins inside it: `<think>\n` is the prefix with which its text is read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AUTO
from toolgrammar.grammar.files import grammar_files, read_text
from toolgrammar.parsing.parser import Parser
from toolgrammar.servers.reasoning_split import reasoning_tags
from toolgrammar.values.events import ReasoningDelta
from toolgrammar.values.patterns import late

TAIL: Final = 64
"""The number of tokens at the end of a prompt that are examined."""
_MADE_UP: Final = ("qqq", "<qqq>", "<|qqq|>", "[QQQ]")
"""Tokens that no tokenizer has, in the usual spellings."""
_MARK = late(r"(?:<[^<>\s]{1,60}>|\[[A-Z_/]{1,40}\])\s*\Z")


def prefix_of(format_id: str, prompt: str) -> str:
    """Returns the opener of reasoning at the end of a prompt; "" if there is none.

    An opener with text after it does not count: a user may have written it.
    """
    body = prompt.rstrip()
    for opener in reasoning_tags(format_id)[0]:
        if body.endswith(opener):
            return prompt[len(body) - len(opener) :]
    mark = _MARK.search(prompt)
    if mark is None:
        return ""
    # If the opener is a pattern, the parser determines whether text after the mark is reasoning.
    probe = Parser(format_id, prefix=mark[0])
    events = [*probe.feed("so"), *probe.close()]
    return mark[0] if events and isinstance(events[0], ReasoningDelta) else ""


def is_closed(format_id: str, prompt: str) -> bool:
    """Whether a prompt ends with the closer of reasoning, so that the message has none."""
    return prompt.rstrip().endswith(reasoning_tags(format_id)[1] or ("\0",))


@lru_cache(maxsize=256)
def needs_special_tokens(format_id: str, special_tokens: tuple[str, ...]) -> bool:
    """Whether a server must write the special tokens into the text.

    Args:
        format_id: the id of the format, or `auto`.
        special_tokens: the special tokens of the model's tokenizer, which alone knows whether
            `<tool_call>` is one.
    """
    # Among all formats, some format needs each token that the tokenizer has.
    if format_id == AUTO:
        return True
    chosen = formats[format_id]
    rules = "\n".join(read_text(file) for _, file in grammar_files(chosen.path))
    # In a regular expression `<|im_end|>` is spelled `<\|im_end\|>`.
    rules = rules.replace("\\", "")
    patterns = [re.compile(each.pattern) for each in chosen.tables.terminals if each.pattern]
    # A pattern of names or of any marker is not specific to this token.
    patterns = [each for each in patterns if not any(map(each.fullmatch, _MADE_UP))]
    return any(
        token in rules or any(pattern.fullmatch(token) for pattern in patterns)
        for token in special_tokens
        if token.strip()
    )
