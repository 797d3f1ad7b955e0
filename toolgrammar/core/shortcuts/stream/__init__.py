"""The shortcut for streams, and the short way for chunks that only go on in a string or in text.

In: a chunk. Out: the events of the driver, as long as the message is sound. Begin with
`stream_reader.py`, which hands the parts of the reading to each other; `cursor.py` is the place in
the stream that they share. `inert_chunks.py` is the short way beside the driver.
"""
