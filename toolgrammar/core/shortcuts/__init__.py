"""Reads sound messages faster than the driver: whole texts (`whole/`) and streams (`stream/`).

In: a text or a stream of chunks. Out: the same result or events as the driver's, or nothing where a
text is not sound or needs a judgement: the driver then reads it from its beginning. Laws compare
both readings; without the shortcuts everything is read with the same result, only slower. Begin
with `whole/whole_reader.py` and `stream/stream_reader.py`.
"""
