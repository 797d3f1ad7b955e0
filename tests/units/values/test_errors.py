"""Errors say what was given, what was wanted, and where."""

import pickle

import pytest

from toolgrammar.values.calls import ParseError
from toolgrammar.values.errors import (
    GrammarError,
    RenderError,
    ToolGrammarError,
    UnknownFormat,
)


@pytest.mark.parametrize(
    ("error", "also"),
    [
        (ParseError, Exception),
        (UnknownFormat, LookupError),
        (GrammarError, ValueError),
        (RenderError, ValueError),
    ],
)
def test_tree(error: type[Exception], also: type[Exception]) -> None:
    assert issubclass(error, ToolGrammarError)
    assert issubclass(error, also)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (GrammarError("bad"), "bad"),
        (GrammarError("bad", code="stray"), "stray bad"),
        (GrammarError("bad", file="my.lark"), "my.lark: bad"),
        (GrammarError("bad", line=3), "<grammar>:3: bad"),
        (
            GrammarError("bad", file="my.lark", line=12, column=7, code="stray", hint="do"),
            "my.lark:12:7: stray bad\nhint: do",
        ),
    ],
)
def test_grammar_error_points_at_the_place(error: GrammarError, said: str) -> None:
    assert str(error) == said
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == said
    assert vars(again) == vars(error)
