"""What a role does to a message: it names a call, gives it a key, opens a section, ends the call.

In: roles with the text that was read for each (`name` `search`, `key` `query` …). Out: calls and their
events. Begin with `role_effects.py`; `call_ends.py` ends a call, `completion.py` gives it out.

May import `core.trust`, `core.message` and what those may import.
"""
