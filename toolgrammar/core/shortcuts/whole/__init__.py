"""The shortcut for whole texts: a call's sound tokens, fused into one regular expression.

In: a complete text. Out: its message, or nothing if the driver has to read it. Begin with
`sound_message.py`.
"""
