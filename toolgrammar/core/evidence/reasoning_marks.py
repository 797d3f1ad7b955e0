"""Lists the marks of reasoning that models write whatever the format, each closer with its opener.

Example: a fine-tuned model may write `[THINK]` in a format whose reasoning is `<think>`, or has none.
"""

from __future__ import annotations

from typing import Final

REASONING_CLOSERS: Final = {
    "</think>": "<think>",
    "</thinking>": "<thinking>",
    "[/THINK]": "[THINK]",
    "</seed:think>": "<seed:think>",
    "</mm:think>": "<mm:think>",
    "</longcat_think>": "<longcat_think>",
    "</ifm|think>": "<ifm|think>",
    "</ifm|think_fast>": "<ifm|think_fast>",
    "</ifm|think_faster>": "<ifm|think_faster>",
    "<|close|>think<|sep|>": "<|open|>think<|sep|>",
    "</think:opensource>": "<think:opensource>",
    "<|END_THINKING|>": "<|START_THINKING|>",
    "<|think:end|>": "<|think:start|>",
    "<|plamo:end_think:plamo|>": "<|plamo:begin_think:plamo|>",
    "\u25c1/think\u25b7": "\u25c1think\u25b7",
}
"""The closers of reasoning that prompts open for models of any format, each with its opener. Those of the
shipped grammars are here (a test compares), since a format is read without loading the others; closers
that also close what is no reasoning are not."""
