"""Reads native calls, which an API returns outside of the text, and repairs broken ones.

In: the pieces of calls, as an API streams them, and the model's tools. Out: events with whole calls,
their arguments as strict JSON, and a diagnostic for each repair, doubt or loss. Begin with `pieces`;
`names` and `arguments` read the two parts of a call, `repaired` makes a stream or message of an API
from the events. It imports what all shapes share, and no API's own shape.
"""
