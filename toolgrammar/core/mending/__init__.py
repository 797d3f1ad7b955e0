"""Repairs of markup: what the driver does where no token that may come next is there.

In: `<tool_cal>{…}` where `<tool_call>` is due. Out: the repair that costs least, reported as an edit,
or the call as unreadable. Begin with `mending.py`.

May import `core.state` and what it may import.
"""
