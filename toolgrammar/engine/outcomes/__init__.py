"""Defines the results and errors of calls, and writes them as messages for the model.

In: what a tool returned or raised. Out: a `ToolResult` whose value is plain JSON data, and messages
for a chat API. `datetime(2026, 11, 23)` becomes `"2026-11-23T00:00:00"`; `UserError("no such city")`
becomes the error `user_error` with that text.

Begin with `results` and `failures`; `normal_form` makes JSON data of any object, `messages` writes
results for a model, `media` knows images.

The lowest package of the engine: it imports `values` and, to write results, the catalogue of formats.
"""
