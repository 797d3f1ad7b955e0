"""The shortcut for streams.

In: a chunk. Out: the events of the driver, as long as the message is sound. Begin with
`stream_reader.py`, which hands the parts of the reading to each other; `cursor.py` is the place in
the stream that they share.
"""
