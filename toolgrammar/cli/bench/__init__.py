"""The command `bench`: formats compared on the same calls.

In: messages, our own or a caller's. Out: tables and figures of size, speed, robustness, and of how
early a call is known.

Begin with `command`, then `formats`; `material` makes the messages, `damage` breaks them, `report`,
`plots` and `drawings` show what was measured.
"""
