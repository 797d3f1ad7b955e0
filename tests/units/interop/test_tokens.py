"""Parts of messages as tokens, with a tokenizer that is trained here."""

import re
from typing import Any

import pytest

import toolgrammar
from toolgrammar.interop.tokens import byte_offsets, spans_of_starts, token_mask, token_parts

TEXT = (
    "Blåbær på øya. <tool_call>\n"
    '{"name": "get_weather", "arguments": {"city": "Tromsø ☂", "days": 2}}\n</tool_call>'
)
RESULT = toolgrammar.parse(TEXT, "hermes")


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A BPE of bytes, as most models have; no hub is asked."""
    tokenizers = pytest.importorskip("tokenizers", reason="it is not installed")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<tool_call>", "</tool_call>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator([TEXT, "get_weather in the city of days"] * 20, trainer)
    trained.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", trained.token_to_id("<s>"))]
    )
    return trained


def _covered(offsets: list[tuple[int, int]], mask: list[bool]) -> set[int]:
    return {
        at for (begin, end), on in zip(offsets, mask, strict=True) if on for at in range(begin, end)
    }


@pytest.mark.parametrize("kind", ["text", "markup", "name", "key", "value"])
def test_a_mask_covers_its_parts_and_no_token_beside_them(tokenizer: Any, kind: str) -> None:
    offsets = tokenizer.encode(TEXT).offsets
    mask = token_mask(RESULT, offsets, kind)
    own = {
        at
        for part in RESULT.parts
        if part.kind == kind
        for at in range(part.span.start, part.span.end)
    }
    assert own
    assert own <= _covered(offsets, mask)
    for (begin, end), on in zip(offsets, mask, strict=True):
        assert on == any(at in own for at in range(begin, end))


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="unknown kind 'argument'; known: text, reasoning, "):
        token_mask(RESULT, [(0, 1)], ["name", "argument"])


def test_a_token_that_a_tokenizer_adds_belongs_to_no_part(tokenizer: Any) -> None:
    encoding = tokenizer.encode(TEXT)
    assert encoding.tokens[0] == "<s>"
    everything = {"text", "markup", "name", "arguments"}
    mask = token_mask(RESULT, encoding.offsets, everything)
    assert (mask[0], all(mask[1:])) == (False, True)


def test_tokens_of_each_value(tokenizer: Any) -> None:
    encoding = tokenizer.encode(TEXT)
    found = {
        part.key: "".join(TEXT[slice(*encoding.offsets[token])] for token in tokens)
        for part, tokens in token_parts(RESULT, encoding.offsets)
        if part.kind == "value"
    }
    assert '"Tromsø' in found["city"]
    assert "2" in found["days"]


def test_a_message_behind_a_prompt(tokenizer: Any) -> None:
    prompt = "days of city "
    offsets = tokenizer.encode(prompt + TEXT).offsets
    mask = token_mask(RESULT, offsets, "name", start=len(prompt))
    covered = _covered(offsets, mask)
    place = (prompt + TEXT).index("get_weather")
    assert set(range(place, place + len("get_weather"))) <= covered
    assert min(covered) >= len(prompt)


def test_beginnings_as_tiktoken_has_them() -> None:
    """The tokens of a character that takes several begin at one offset."""
    text = "a☂b"
    starts = [0, 1, 1, 1, 2]  # the umbrella in three tokens of a byte each
    assert spans_of_starts(starts, len(text)) == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    assert spans_of_starts([], 0) == []


def test_offsets_in_bytes() -> None:
    text = "på ☂"
    assert byte_offsets(text, [(0, 1), (1, 3), (3, 5), (5, 7), (7, 7)]) == [
        (0, 1), (1, 2), (2, 4), (3, 4), (4, 4),
    ]  # fmt: skip


def test_half_a_surrogate_pair_has_three_bytes() -> None:
    assert byte_offsets("a\ud83db", [(0, 1), (1, 4), (4, 5)]) == [(0, 1), (1, 2), (2, 3)]


def test_words_as_tokens() -> None:
    """Offsets of any tokenizer do: here words and signs."""
    offsets = [found.span() for found in re.finditer(r"\w+|\S", TEXT)]
    mask = token_mask(RESULT, offsets, "arguments")
    words = [TEXT[slice(*span)] for span, on in zip(offsets, mask, strict=True) if on]
    assert words == ["city", '"', "Tromsø", "☂", '"', "days", "2"]
