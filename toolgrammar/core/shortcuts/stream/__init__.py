"""The shortcut for streams: chunks that only go on in a string, in a raw value or in text.

In: a chunk. Out: the events of the driver, as long as the message is sound. Begin with
`stream_reader.py`.
"""
