"""Reads damaged examples of every format, and prints what was read and the expressions it took.

Run with `atomic` or `as written`: how possessive repeats of groups are given to `re`.
"""

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from tests.laws.every_case import page_cases
from toolgrammar.values import patterns

asked: set[str] = set()
compile_really: Any = re._compile  # type: ignore[attr-defined]


def _note(expression: Any, flags: int) -> Any:
    if isinstance(expression, str):
        asked.add(expression)
    return compile_really(expression, flags)


def _read() -> Iterator[object]:
    import toolgrammar

    for name in sorted(toolgrammar.formats):
        for case in page_cases(name)[:3]:
            text = case.text
            for at in range(3, len(text), 1 + len(text) // 6):
                yield toolgrammar.parse(text[:at] + text[at + 1 :], name).to_dict()
                parser = toolgrammar.Parser(name)
                for start in range(0, at, 7):
                    parser.feed(text[start : min(at, start + 7)])
                parser.close()
                yield parser.result.to_dict()


if __name__ == "__main__":
    patterns.READS_POSSESSIVE_GROUPS = sys.argv[1] == "as written"
    # What `re.compile` calls, and `re.match` and the others that take an expression.
    re._compile = _note  # type: ignore[attr-defined]
    read = list(_read())
    sys.stdout.write(json.dumps({"read": read, "asked": sorted(asked)}))
