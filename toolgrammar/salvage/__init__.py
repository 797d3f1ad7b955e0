"""Decides which calls that were read from a model's text may run.

In: calls that the parser found, the tools that were offered, the messages of the conversation. Out:
the calls that may run, and a refusal, a code and a sentence for the model, for each other one. Begin
with `policy.py`; `judge.py` is the same for a message that still comes in. It imports the catalogue
and what lies below, and knows neither parser nor engine.
"""
