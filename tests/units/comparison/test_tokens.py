"""Tokens are counted with a real tokenizer from its file, markers as text and as one."""

import pickle
from pathlib import Path

import pytest

from toolgrammar import formats
from toolgrammar.comparison.tokens import CHARACTERS, Tokenizer, _named, from_file, markers

WIRE = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level tokenizer as Hugging Face writes it, with a special token of its own."""
    library = pytest.importorskip("tokenizers")
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = library.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<tool_call>"],
        initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([WIRE * 20, "The name of a function is its name. " * 20], trainer)
    found = tmp_path_factory.mktemp("model") / "tokenizer.json"
    made.save(str(found))
    return found


def test_markers_count_as_text_and_as_one(path: Path) -> None:
    tokenizer = from_file(path)
    marks = markers(formats["hermes"])
    inner = '\n{"name": "f", "arguments": {}}\n'
    assert tokenizer.name == path.parent.name
    # The special token that the file has is text here, as in a file without it.
    assert tokenizer.count("<tool_call>") > 1
    assert tokenizer.count_marked(WIRE, marks) == 2 + tokenizer.count(inner)
    assert tokenizer.count_marked(WIRE, marks) < tokenizer.count(WIRE)
    assert tokenizer.count_marked(WIRE, None) == tokenizer.count(WIRE)


def test_a_tokenizer_goes_to_other_processes(path: Path) -> None:
    for tokenizer in (from_file(path), _named(CHARACTERS)):
        there: Tokenizer = pickle.loads(pickle.dumps(tokenizer))
        assert there.count(WIRE) == tokenizer.count(WIRE)


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    other = tmp_path / "tokenizer.json"
    other.write_text('{"model": 1}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"not a tokenizer\.json"):
        from_file(other)
    with pytest.raises(FileNotFoundError):
        from_file(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("format_id", "marker"),
    [
        ("hermes", "</tool_call>"),
        ("harmony", "<|channel|>"),
        ("deepseek_v3_1", "<\uff5ctool\u2581sep\uff5c>"),
        ("mistral_v11", "[TOOL_CALLS]"),
    ],
)
def test_the_grammar_says_what_the_markers_are(format_id: str, marker: str) -> None:
    marks = markers(formats[format_id])
    assert marks is not None
    assert marks.fullmatch(marker)
