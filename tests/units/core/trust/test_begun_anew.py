"""A call whose text holds its own opener is doubted: the model may have begun anew in it."""

import pytest

from tests.units.core.cuts import read


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("bash_fence", "```bash\nls -l```bash\nls -la\n```"),
        ("codeact", "<execute_bash>\nls\n</ex\n<execute_bash>\nls -l\n</execute_bash>"),
        ("simple_agent", "\U0001f6e0\ufe0f plant bed-6\nleek \U0001f6e0\ufe0f plant bed-6\nkale\n"),
        ("apply_patch", "*** Begin Patch\n*** Begin Patch\n*** Delete File: a\n*** End Patch"),
        ("aider_diff", "```bash\npython ```bash\npython app.py\n```"),
        ("react", "Action: rm\nAction Input: oldAction: rm\nAction Input: old"),
    ],
)
def test_its_opener_in_a_call_is_a_doubt(format_id: str, text: str) -> None:
    assert [call.doubts for call in read(format_id, text).calls] == [("unread-call",)]


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("bash_fence", "```bash\ncat <<'EOF' > a.md\nsay `bash`\nEOF\n```"),
        ("codeact", "<execute_bash>\necho '<execute_ipython>'\n</execute_bash>"),
        ("apply_patch", "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch"),
    ],
)
def test_other_markup_in_a_call_is_its_text(format_id: str, text: str) -> None:
    (call,) = read(format_id, text).calls
    assert call.executable


def test_one_that_is_lost_besides_is_told_of() -> None:
    result = read("swe_agent", "```bash\nls\n```bash\nls\n```")
    assert result.calls == ()
    assert [(each.code, each.severity) for each in result.diagnostics] == [("unread-call", "error")]
