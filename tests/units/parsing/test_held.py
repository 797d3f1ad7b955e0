"""`Parser.held` counts what is undecided, and nothing that was emitted."""

import toolgrammar


def test_text_that_was_given_out_is_not_held() -> None:
    parser = toolgrammar.Parser(format=["hermes", "kimi_k2"])
    assert parser.held == 0
    parser.feed("A plain sentence.")
    assert parser.held == 0
    parser.feed(" And <tool_")
    assert parser.held == len("<tool_")
    parser.feed("s are in the box.")
    assert parser.held == 0


def test_an_opener_that_may_be_text_is_held() -> None:
    parser = toolgrammar.Parser(format=["hermes", "kimi_k2"])
    parser.feed("Now: <tool_call>")
    assert parser.held == len("<tool_call>")
