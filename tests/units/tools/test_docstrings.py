"""`tools/docstrings.py`: what docstrings say about parameters, in three styles."""

import pytest

from toolgrammar.tools.docstrings import described_parameters

GOOGLE = """Looks things up.

Args:
    query (str, optional): What to look for,
        in English.
    *places: Where.
    limit:
        At most so many.

    more: Behind a blank line: with a colon.
Returns:
    found: no parameter
"""
NUMPY = """Looks things up.

Parameters
----------
query : str
    What to look for,
    in English.
places, optional
limit
    At most so many.

Returns
-------
found
    no parameter
"""
SPHINX = """Looks things up.

:param str query: What to look for,
    in English.
:param limit: At most so many.
:type limit: int
:returns: no parameter
"""


@pytest.mark.parametrize(
    ("docstring", "found"),
    [
        (
            GOOGLE,
            {
                "query": "What to look for, in English.",
                "places": "Where.",
                "limit": "At most so many.",
                "more": "Behind a blank line: with a colon.",
            },
        ),
        (NUMPY, {"query": "What to look for, in English.", "limit": "At most so many."}),
        (SPHINX, {"query": "What to look for, in English.", "limit": "At most so many."}),
        (None, {}),
        ("", {}),
        ("Args:", {}),
        ("Args:\nnot indented: x", {}),
        ("Parameters", {}),
        ("Arguments for the prosecution: none.", {}),
        ("Args:\n    no entry here\n    a: b", {"a": "b"}),
        ("Args:\n    a: first\n    a: second", {"a": "first"}),
        ("Args:\n\ta: b", {"a": "b"}),
    ],
)
def test_described_parameters(docstring: str | None, found: dict[str, str]) -> None:
    assert described_parameters(docstring) == found
