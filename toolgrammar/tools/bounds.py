"""Refuses tools that would cost too much: deep schemas, long names, patterns that never end."""

from __future__ import annotations

from typing import Any, Final

from toolgrammar.patterns.exponential import is_exponential

LONGEST_NAME: Final = 256
"""Characters of a tool's name: no wire reads a longer one."""
DEEPEST: Final = 200
"""Levels of a tool's schema."""


def check_depth(tool: object) -> None:
    """Refuses a tool of plain data whose schema is nested too deep to be copied.

    Raises:
        ValueError: it is.
    """
    # A list, not recursion: the depth that is looked for would end Python's stack.
    ahead: list[tuple[Any, int]] = [(tool, 0)]
    # A schema may hold a part many times, or itself: each is looked at once.
    seen: set[int] = set()
    while ahead:
        part, depth = ahead.pop()
        if depth > DEEPEST:
            name = tool.get("name") if isinstance(tool, dict) else None
            where = f"the tool {name:.60}" if isinstance(name, str) else "a tool"
            raise ValueError(f"the schema of {where} is nested more than {DEEPEST} levels deep")
        if id(part) in seen:
            continue
        if isinstance(part, dict):
            seen.add(id(part))
            ahead += [(each, depth + 1) for each in part.values() if isinstance(each, dict | list)]
        elif isinstance(part, list):
            seen.add(id(part))
            ahead += [(each, depth + 1) for each in part if isinstance(each, dict | list)]


def check_tool(name: str, parameters: object) -> None:
    """Refuses a tool by its name and by the patterns of its schema for names of arguments.

    Raises:
        ValueError: the name is too long; a pattern may take time exponential in a name.
    """
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"a tool's name has at most {LONGEST_NAME} characters; {name[:40]!r}… has {len(name):,}"
        )
    ahead, seen = [parameters], set[int]()
    while ahead:
        part = ahead.pop()
        if not isinstance(part, dict | list) or id(part) in seen:
            continue
        seen.add(id(part))
        # Only these patterns meet names that the model chose; `pattern` is judged where a value is.
        patterns = part.get("patternProperties") if isinstance(part, dict) else None
        for pattern in patterns if isinstance(patterns, dict) else ():
            if isinstance(pattern, str) and is_exponential(pattern):
                raise ValueError(
                    f"the schema of the tool {name!r} has the pattern {pattern!r} in "
                    "`patternProperties`: a loop in it reads some text in two ways, so that a key "
                    "that the model chose could keep it busy for ever"
                )
        ahead += part.values() if isinstance(part, dict) else part
