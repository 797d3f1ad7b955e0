import pytest

from toolgrammar.servers.giving import VARIABLE, giving


def test_calls_are_streamed_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert giving() == "stream"


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "hold")
    assert giving() == "hold"


def test_another_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "none")
    with pytest.raises(ValueError, match="must be one of stream, hold, all; got 'none'"):
        giving()
