"""Says that a law is broken: which case, at which place, what was wanted and what was found."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from toolgrammar.testing.cases import Case
from toolgrammar.testing.readings import difference


def same(law: str, case: Case, place: str, wanted: object, found: object) -> None:
    """Raises where two results differ."""
    if wanted != found:
        broken(law, case, place, wanted, found)


def broken(law: str, case: Case, place: str, wanted: object, found: object) -> NoReturn:
    """Raises an AssertionError that names the case, the place and both results."""
    name = case.format if isinstance(case.format, str) else case.format.id
    raise AssertionError(
        f"{law}: {case.id} ({name}), {place}\n{difference(wanted, found)}\n"
        f"  text:   {case.text[:600]!r}"
    )


@contextmanager
def quiet(law: str, case: Case, place: str) -> Iterator[None]:
    """Turns an exception into a broken law."""
    try:
        yield
    except Exception as error:
        message = f"{law}: {case.id}, {place} raised {error!r}\n  text:   {case.text[:600]!r}"
        raise AssertionError(message) from error
