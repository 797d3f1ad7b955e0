"""A real tokenizer that needs no download: each byte is a token, and special tokens are whole."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def tokenizer_with(special: tuple[str, ...]) -> Any:
    """Returns a tokenizer of transformers with these special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {character: number for number, character in enumerate(alphabet)}
    inner = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=inner, additional_special_tokens=list(special))
