"""The league: every reader of tool calls that installs from PyPI, over the same acceptance suites.

In go suites (`canitoolcall`, and files that a user names); out comes one table: of each reader, how
many fixtures it passes, passes partly, fails, raises on and has no parser for, how many of its
streamed answers depend on the cutting, and microseconds a message. Begin reading in `run.py`.
"""
