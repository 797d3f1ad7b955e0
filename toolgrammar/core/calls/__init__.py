"""Applies roles to a message: names calls, sets keys, opens and closes sections, ends calls.

In: roles with the text that was read for each (`name` `search`, `key` `query` …). Out: calls and their
events. Begin with `role_effects.py`; `call_ends.py` ends a call, `completion.py` emits it.

May import `core.trust`, `core.message` and what those may import.
"""
