"""What is known of a message while it is read: its text, the open call, calls, events, diagnostics.

In: text and calls with their places. Out: the state that all other packages of the core work on. It knows
nothing of them: how a call ends or what makes one doubtful stands above. Begin with `build.py` and
`draft.py`.

May import `core.payloads`, `core.machine`, `core.evidence`, `grammar`, `patterns`, `tools` and `values`.
"""
