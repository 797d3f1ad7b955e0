"""Reports a broken law as an AssertionError with the case, the place and both results."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from toolgrammar.testing.cases import Case
from toolgrammar.testing.readings import difference

_REMEDIES = {
    "linear": "let what is looked for begin with something fixed (a literal, `\\b`, `^`), and bound "
    "repeats that may run over much of a text; where that is so, a scanner works too often: report "
    "it with this text",
    "splits": "this is a fault of toolgrammar: report it with this text. Where a token of white space is "
    "read in one cutting and skipped in another, say what may not follow it, `/\\n(?!\\s*- )/`, or stand "
    "before it, `/(?<=[^\\n])\\n/`",
    "early": "let the call end with a closer of its own, with nothing optional behind it; a part "
    "behind the closer, in `[…]`, has to be waited for. Where the call waits for an argument that a "
    "pattern without a plain text opens, such as `/[^a]/`, write that opener as a literal",
    "truncation": "make the closer of the call required (not in `[…]`), or say `//@ unclosed: text`; "
    "a last argument whose value the end of the text may end needs a closer too",
    "round trip": "the first alternative that can carry a value writes it: put a form that can hold "
    "it first, or give raw values a closer that they do not hold",
}
"""Hints on how to mend a grammar that breaks a law."""


def same(law: str, case: Case, place: str, wanted: object, found: object) -> None:
    """Raises if two results differ."""
    if wanted != found:
        broken(law, case, place, wanted, found)


def broken(law: str, case: Case, place: str, wanted: object, found: object) -> NoReturn:
    """Raises an AssertionError that names the case, the place and both results."""
    name = case.format if isinstance(case.format, str) else case.format.id
    raise AssertionError(
        f"{law}: {case.id} ({name}), {place}\n{difference(wanted, found)}\n"
        # The beginning is enough to find the case, whose id is there.
        f"  text:   {case.text[:600]!r}{_remedy(law)}"
    )


def _remedy(law: str) -> str:
    return f"\n  remedy: {_REMEDIES[law]}" if law in _REMEDIES else ""


@contextmanager
def quiet(law: str, case: Case, place: str) -> Iterator[None]:
    """Turns an exception into a broken law."""
    try:
        yield
    # Any exception breaks the law, since text must never raise.
    except Exception as error:
        message = f"{law}: {case.id}, {place} raised {error!r}\n  text:   {case.text[:600]!r}"
        raise AssertionError(message) from error
