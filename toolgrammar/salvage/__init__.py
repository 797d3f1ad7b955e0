"""Decides which calls that were read from a model's text may run.

In: calls that the parser found, the tools that were offered, the messages of the conversation. Out:
the calls that may run; for each other call a refusal, with a code and a sentence for the model. Begin
with `policy.py`; `judge.py` does the same for a streamed message. It may import the catalogue
and everything below it, but neither parser nor engine.
"""
