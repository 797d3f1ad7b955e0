"""Makes drivers: combines the state and the loop of `core.state` with the modes of this package.

Example: a new driver is in the mode `text`, and is fed with `driver.feed("Hi <tool")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.driver.ending import finish
from toolgrammar.core.driver.mismatch import give_back
from toolgrammar.core.driver.reading_text import read_text
from toolgrammar.core.driver.reading_tokens import read_token
from toolgrammar.core.state.driver import Driver
from toolgrammar.core.state.protocols import Modes

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.message.build import Builder

MODES: Final = Modes(text=read_text, tokens=read_token, finish=finish, give_back=give_back)


def new_driver(machine: Machine, builder: Builder, *, max_depth: int) -> Driver:
    """Returns a driver for one message.

    Args:
        machine: the machine of the format; with several formats, one that reads text alone.
        builder: the builder of the message.
        max_depth: the number of brackets that may be open at once in a payload.
    """
    return Driver(machine, builder, MODES, max_depth=max_depth)
