"""Holds what the reader of a damaged JSON text knows between two characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_ahead import LookAhead

if TYPE_CHECKING:
    from toolgrammar.core.json_body_runs import BodyRun
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.json_repairs import OpenerRun, Repair
    from toolgrammar.core.json_stretches import Stretch

FIRST_WINDOW: Final = 256
LONGEST_WINDOW: Final = 1 << 14
"""Characters that are looked through at once for a stretch of members or items."""
# What the reader waits for.
(
    START,  # the root value
    ITEM,  # an item, or the closer of an array
    KEY,  # a key, or the closer of an object
    COLON,  # the colon after a key
    VALUE,  # the value after a colon
    AFTER,  # a comma or a closer after a value
    STRING,  # the rest of a string or a key
    TRIPLE,  # the rest of what may be a string in triple quotes
    WORD,  # the rest of a number or literal
    TEXT,  # the rest of text without quotes
    BARE_KEY,  # the rest of a key without quotes
    COMMENT,  # the rest of a comment
) = range(12)


class State(LookAhead):
    """The state, and the pieces that are held until it is sure that they stay."""

    __slots__ = (
        "backticks",
        "close_quote",
        "comma",
        "comma_quote",
        "dollar",
        "escapes",
        "guide",
        "held",
        "held_from",
        "in_key",
        "is_plain",
        "kept_letter",
        "key_from",
        "out",
        "plain",
        "quotes",
        "refuses",
        "space",
        "state",
        "stretches",
        "string_from",
        "string_repairs",
        "style",
        "sure_only",
        "typed",
        "width",
    )

    out: list[str]

    def set_up(self, guide: Guide | None, *, backticks: bool) -> None:
        """Sets what a new reader knows."""
        self.guide = guide
        self.backticks = backticks
        self.state = START
        self.refuses = ""
        """What can't follow the value, other than a comma or a bracket."""
        self.sure_only = False
        """Whether a repair that may guess wrong ends the reading."""
        self.stretches: list[Stretch | BodyRun | OpenerRun] = []
        """What was mended at once, in order."""
        self.out = []
        self.plain = self.is_plain = False
        self.held: list[str] = []
        """What was read and is given out when the next value begins."""
        self.held_from = 0
        self.comma: tuple[int, int] | None = None
        """Where the comma that waits stands: in `held`, and in the source."""
        self.in_key = False
        self.key_from = (0, 0, 0)
        """Where the key began: in `held`, in the source, in `repairs`."""
        self.typed: list[str] | None = None
        self.style: Repair | None = None
        self.close_quote = '"'
        self.width = 1
        self.comma_quote = -1
        """Where the quote stands that a comma in the string came before."""
        self.space = (0, 0)
        """Where white space in a string was looked through last, from and to."""
        self.string_from = 0
        self.string_repairs = 0
        self.escapes = False
        self.quotes = False
        """Whether the open string has escaped quotes: it may hold JSON itself."""
        self.kept_letter = False
        self.dollar = False

    def slot(self) -> Guide | None:
        """Gives what the schema wants of the value that comes next."""
        if not self.stack:
            return self.guide
        frame = self.stack[-1]
        if frame.guide is None:
            return None
        return frame.guide.member(frame.key) if frame.is_object else frame.guide.item()

    def hold(self, piece: str, start: int) -> None:
        """Keeps a piece until the next value begins; `start` is its place in `text`."""
        if not self.held:
            self.held_from = self.base + start
        self.held.append(piece)

    def put(self, piece: str) -> None:
        """Adds to the body of the open string."""
        if self.in_key:
            self.held.append(piece)
        elif self.typed is not None:
            self.typed.append(piece)
        else:
            self.out.append(piece)

    def retype(self, start: int, end: int) -> None:
        """Notes that a value got the type of its schema."""
        strict = self.strict
        self.repair("schema-type", start - self.base, end - self.base)
        self.strict = strict

    def begin_value(self) -> None:
        """Gives out what was held: a value begins."""
        raise NotImplementedError

    def value_ended(self) -> None:
        """Goes on after a value."""
        raise NotImplementedError
