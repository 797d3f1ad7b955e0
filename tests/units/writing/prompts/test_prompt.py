"""`writing/prompts/prompt.py`: the words of the prompt for a format that has none of its own."""

import pytest

from toolgrammar.writing.prompts.prompt import generic_template

WHOLE = """\
You can call tools. These are there:

{tools_words}

To call a tool, write the call exactly in this form:

{example}

Several calls in one message look like this:

{examples}

Use only the tools above and the names of arguments that they have. \
Everything outside of calls is text for the user.
"""


@pytest.mark.parametrize(
    ("payload", "tools"),
    [
        ((), "tools_words"),
        (("raw",), "tools_words"),
        (("JSON", "raw"), "tools_json_lines"),
        (("Python",), "tools_python"),
    ],
)
def test_the_tools_are_told_in_the_notation_of_calls(payload: tuple[str, ...], tools: str) -> None:
    told = WHOLE.replace("tools_words", tools)
    assert generic_template(payload, parallel=True) == told
    several = told[told.index("Several") : told.index("\nUse")]
    one = told.replace(several, "Write one call a message.\n")
    assert generic_template(payload, parallel=False) == one
