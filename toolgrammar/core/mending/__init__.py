"""Repairs markup: handles text that matches no token of the driver's node.

In: `<tool_cal>{…}` where `<tool_call>` is expected. Out: a repair that is reported as an edit, or
nothing, so that the island is text or the call ends there. Begin with `mending.py`.

May import `core.state` and what it may import.
"""
