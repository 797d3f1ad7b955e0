"""Holds the parts of a message while it is read: text, the open call, calls, events, diagnostics.

In: text and calls with their places. Out: the state that most packages of the core work on. It
imports none of them: how a call ends, or what makes a call doubtful, is decided above. Begin with
`build.py` and `draft.py`; `reports.py` has the usual reports of a repair and of a doubt.

May import `core.payloads`, `core.machine`, `core.evidence`, `grammar`, `patterns`, `tools` and `values`.
"""
