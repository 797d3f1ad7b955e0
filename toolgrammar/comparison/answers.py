"""Writes the answers of a comparison as sentences, for differences that its intervals support.

Example: `*Tokens* (% more o200k than bare JSON): least with JSON in tags (31.2 [30.1 32.4]).` A family
is said to have the least or the most of something only if its interval is far from those of all other
families, so that a comparison with another seed gives the same sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.comparison.costs import AS_ONE
from toolgrammar.comparison.figures import Figure
from toolgrammar.comparison.messages import SEVERAL
from toolgrammar.comparison.tokens import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgrammar.comparison.runs import Comparison

    Row = dict[str, Any]
    Of = Callable[[Row], Figure | None]

_BOUNDS: Final = (1, 3, 10, 30, 100)
"""The bounds that a sentence may state, as in "fewer than 3"; coarse, so that every seed gives the same."""
_LEAST_APART: Final = 2.25
"""The factor by which intervals are widened before the least is separated from all others."""
_MOST_APART: Final = 4.4
"""The factor by which intervals are widened before the most is separated from all others.

Both factors lie in a gap: with seeds 0 to 4 no family is separated by a factor of 1.75 to 2.75, or of
3.75 to 5, so that another seed gives the same sentences.
"""
_MOST: Final = 0.5
"""The share of the texts of a kind that must run a call before a format is counted for that kind."""


@dataclass(frozen=True)
class Question:
    """One question, which is answered with a figure for every family."""

    asked: str
    """The question in a few words, such as `tokens`."""
    unit: str
    """The unit of the figures."""
    of: Of
    """Returns the figure of a format from its row; less is better."""
    factor: float = 1
    """The factor by which figures are multiplied before they are shown."""


@dataclass(frozen=True)
class Standing:
    """The answer to a question: the families that are clearly better or worse than all others."""

    question: Question
    """The question."""
    best: dict[str, Figure]
    """The one or two families with the least; empty if none is clearly separated from the rest."""
    worst: dict[str, Figure]
    """The one or two families with the most; empty if none is clearly separated from the rest."""
    all: dict[str, Figure]
    """The figures of all families."""


def answers(found: Comparison, tokenizer: str) -> list[str]:
    """Returns the sentences: what to train on, what it costs, where the choice does not matter."""
    # With one format there is nothing to compare.
    if len(found.rows) < 2:
        return []
    standings = [_standing(found.rows, each) for each in _questions(found, tokenizer)]
    said = [
        # The advice comes first; the answer to each question follows, as its evidence.
        _best(standings, found.rows),
        _worst(standings),
        *(_stands(each) for each in standings),
        _bounded(found.rows),
        _cut(found.rows),
        _shown(found.rows),
    ]
    return [words for words in said if words]


def _questions(found: Comparison, tokenizer: str) -> list[Question]:
    def of_shape(shape: str) -> Of:
        return lambda row: row["shapes"][shape][tokenizer][AS_ONE]

    # Characters have no markers.
    one = "" if tokenizer == CHARACTERS else ", each fixed marker as one token"
    unit = f"% more {tokenizer} than bare JSON{one}"
    return [
        # The first question: `_best` recommends only among those that cost the least tokens.
        Question("tokens", unit, lambda row: row["sizes"][tokenizer][AS_ONE], 100),
        *(
            Question(f"tokens of '{shape}'", unit, of_shape(shape), 100)
            for shape in found.compared
            # A mixture of the other shapes, so no question of its own.
            if shape != SEVERAL
        ),
        Question(
            "tokens of the prompt",
            f"{tokenizer} more than the tools{one}",
            lambda row: row["prompt"][tokenizer][AS_ONE],
        ),
        Question(
            "waiting until a call is known",
            "characters more than bare JSON",
            lambda row: row["call_known"],
        ),
        Question(
            "messages spoilt by errors at one rate",
            "of 1,000 that do not run as meant",
            lambda row: row["random"]["fail"],
        ),
        Question(
            "messages spoilt by damages that models make",
            "% that do not run as meant",
            lambda row: row["models"]["fail"],
            100,
        ),
        Question(
            "arguments that cuts take away",
            "% of their characters",
            # The share that is lost, not the share that is kept: less is better in every question.
            lambda row: row["cuts"]["kept"] and row["cuts"]["kept"].times(-1, 1),
            100,
        ),
    ]


def by_family(rows: Sequence[Row], of: Of) -> dict[str, Figure]:
    """Returns the mean of the formats of each family.

    The ends of the interval are the means of the formats' ends: all formats are measured with the same
    messages, so their errors do not cancel out.
    """
    found: dict[str, list[Figure]] = {}
    for row in rows:
        figure = of(row)
        if figure is not None:
            found.setdefault(row["family"], []).append(figure)
    return {
        family: Figure(
            *(sum(ends) / len(ends) for ends in zip(*map(_sorted, figures), strict=True))
        )
        for family, figures in found.items()
    }


def _sorted(figure: Figure) -> Figure:
    return Figure(figure.value, *sorted(figure[1:]))


def parted(figures: Mapping[str, Figure], apart: float = _LEAST_APART) -> dict[str, Figure]:
    """Returns the one or two families with the least, if they are clearly separated from all others.

    Args:
        figures: the figures of all families.
        apart: the factor by which all intervals are widened; the widened intervals of those that are
            returned lie below the widened intervals of all others.
    """
    # A question may have no figure of any family: that of the prompt if no message has tools.
    if not figures:
        return {}
    # Sorted by the upper end, not by the figure: the whole interval has to lie below all others.
    ordered = sorted(figures.items(), key=lambda each: _wider(each[1], apart).high)
    for number in (1, 2):
        first, rest = ordered[:number], ordered[number:]
        limit = min((_wider(each, apart).low for _, each in rest), default=-inf)
        if _wider(first[-1][1], apart).high < limit:
            # Sorted by name: which of the two has less is not certain.
            return dict(sorted(first))
    return {}


def _wider(figure: Figure, times: float) -> Figure:
    value, low, high = figure
    # Each end by its own distance: Wilson's intervals are not symmetrical.
    return Figure(value, value - times * (value - low), value + times * (high - value))


def _standing(rows: Sequence[Row], question: Question) -> Standing:
    figures = by_family(rows, question.of)
    # The most of something is the least of its negative, so one rule serves for both ends.
    turned = {family: _sorted(figure.times(-1)) for family, figure in figures.items()}
    worst = {family: figures[family] for family in parted(turned, _MOST_APART)}
    return Standing(question, parted(figures), worst, figures)


def _best(standings: Sequence[Standing], rows: Sequence[Row]) -> str:
    """Returns the sentence that recommends the families with the least tokens and no weakness."""
    bad = {family for each in standings for family in each.worst}
    parts = []
    for family in standings[0].best:
        # The least tokens alone are no advice: a family that runs unintended calls may be cheap as
        # well.
        if family not in bad:
            formats = ", ".join(row["format"] for row in rows if row["family"] == family)
            first = [each.question.asked for each in standings if family in each.best]
            parts.append(f"*{family}* ({formats}), with the least {', '.join(first)}")
    if not parts:
        return ""
    return (
        f"**What to train on:** {'; or '.join(parts)}. They have the most of nothing that is asked."
    )


def _counts(
    good: Sequence[Mapping[str, Figure]], bad: Sequence[Mapping[str, Figure]]
) -> dict[str, int]:
    """Returns how often each family is at the good end; those that are ever at the bad end are omitted."""
    # A family at both ends pays for its strength elsewhere, so it is neither praised nor blamed.
    never = {family for each in bad for family in each}
    counts: dict[str, int] = {}
    for each in good:
        for family in each:
            if family not in never:
                counts[family] = counts.get(family, 0) + 1
    return counts


def _worst(standings: Sequence[Standing]) -> str:
    counts = _counts([each.worst for each in standings], [each.best for each in standings])
    most = max(counts.values(), default=0)
    if not most:
        return ""
    names = " and ".join(f"*{family}*" for family, count in counts.items() if count == most)
    return f"**What costs most:** {names}, with the most at the most questions."


def _stands(standing: Standing) -> str:
    """Returns the sentence that names the families with the least and the most, or ""."""
    question = standing.question
    if not (standing.best or standing.worst):
        return ""
    parts = []
    if standing.best:
        parts.append(f"least with {_listed(standing.best, question)}")
    if standing.worst:
        parts.append(f"most with {_listed(standing.worst, question)}")
    return (
        f"*{question.asked[0].upper()}{question.asked[1:]}* ({question.unit}): {', '.join(parts)}."
    )


def _listed(figures: Mapping[str, Figure], question: Question) -> str:
    return " and ".join(
        f"{family} ({value:.1f} [{low:.1f} {high:.1f}])"
        for family, figure in figures.items()
        for value, low, high in [figure.times(question.factor)]
    )


def _bounded(rows: Sequence[Row]) -> str:
    """Returns the sentence with the bound below which unintended calls stay in every family."""
    said = []
    for words, of, factor, whole in (
        (
            "of 1,000 messages with errors at one rate",
            lambda row: row["random"]["of 1,000"]["wrong"],
            1,
            1000,
        ),
        (
            "per cent of those that models damage",
            lambda row: row["models"]["of damaged"]["wrong"],
            100,
            100,
        ),
    ):
        most = max((figure.high * factor for figure in by_family(rows, of).values()), default=inf)
        # The upper end of the worst family is a bound for all of them. That of all says nothing.
        bound = next((each for each in _BOUNDS if most < each < whole), None)
        if bound is not None:
            said.append(f"{bound} {words}")
    if not said:
        return ""
    return (
        "**Where the choice does not matter:** calls that were not meant. In every family they run "
        f"in fewer than {' and in fewer than '.join(said)}."
    )


def _cut(rows: Sequence[Row]) -> str:
    """Returns the sentence about cut messages that run an unintended call."""
    figures = {row["format"]: row["cuts"]["ran"] for row in rows}
    # A format is named if its whole interval is above a tenth. The sentence is only true if the whole
    # interval of each other format is below it.
    most = sorted(name for name, figure in figures.items() if figure.low > 0.1)
    rest = [figure.high for name, figure in figures.items() if name not in most]
    if not rest or max(rest) > 0.1:
        return ""
    but = f", but with {', '.join(most)}" if most else ""
    return f"**Cut messages** run a call that was not meant in fewer than 10 % of the cuts{but}."


def _shown(rows: Sequence[Row]) -> str:
    """Returns the sentence about texts that only show a call, and how many formats run it."""
    parts = []
    for kind in rows[0]["confusion"]["kinds"]:
        figures = [row["confusion"]["kinds"][kind] for row in rows]
        # The lower end counts: it has to be certain that more than half of the texts run a call.
        runs = sum(figure is not None and figure.low > _MOST for figure in figures)
        parts.append(f"{kind} {runs}")
    return (
        f"**Texts that show a call** run it more often than not in so many of {len(rows)} formats: "
        f"{', '.join(parts)}."
    )
