"""Reads sound messages of a stream.

In: a chunk. Out: the events that the driver would emit, as long as the message is sound. Begin with
`stream_reader.py`, which connects the parts of the reading; `cursor.py` is the position in the
stream that they share.
"""
