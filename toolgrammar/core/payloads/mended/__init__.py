"""Reads damaged JSON: one reader that adds or drops delimiters and reports each repair.

In: `{city: 'Oslo', "n": [1, 2}`. Out: `{"city": "Oslo", "n": [1, 2]}` and a list of edits. Begin
with `recover.py`: it creates the parts and connects them. From the lowest part up:

- `look.py` holds the text and looks ahead in it; `repairs.py` records the repairs; `frames.py`
  tracks an open bracket; `state.py` holds what was read, emitted and held back.
- `open_string.py` holds the open string and reads its content; `ahead.py` decides by what follows.
- `wide_quotes.py` decides how many quotes open a string; `strings.py` and `words.py` read strings
  and words; `payloads/json/other_scalars.py` defines which words are numbers and literals;
  `gaps.py` reads white space and comments; `end.py` closes what is open at the end of the text;
  `structure.py` reads the rest: brackets, keys, colons and commas.
- `stretches.py` is the only shortcut: it mends many members or items at once in a value without
  markup around it, and only what the parts above would mend in the same way.

May import `payloads/json`, `tools` and `values`.
"""
