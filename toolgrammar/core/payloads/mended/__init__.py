"""Damaged JSON: one reader that adds or drops delimiters and reports each repair.

In: `{city: 'Oslo', "n": [1, 2}`. Out: `{"city": "Oslo", "n": [1, 2]}` and a list of edits. Begin with
`recover.py`: it makes the parts and hands them to each other. From below to above:

- `look.py` holds the text and looks ahead in it; `repairs.py` lists what is mended; `frames.py` is an
  open bracket; `state.py` holds what was read, given out and held.
- `bodies.py` holds the open string and reads inside it; `ahead.py` answers what follows.
- `strings.py`, `words.py` and `between.py` read strings, words, and keys, commas and closers; which
  words are numbers and literals says `payloads/json/other_scalars.py`;
  `gaps.py` takes white space and comments; `end.py` closes what is open at the end of the text;
  `values.py` begins values.
- `stretches.py` is the one shortcut: it mends many members or items at once in a text that stands
  by itself, and only what the parts above would mend alike.

May import `payloads/json`, `tools` and `values`.
"""
