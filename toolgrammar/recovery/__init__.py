"""Recovers one damaged JSON value from a text without calls: `recover_json`, `JsonParser`.

In: `Sure: {"a": 1, "b": ["x"`. Out: `{"a": 1, "b": ["x"]}`, with a diagnostic for each repair.
Messages with calls are read by `parsing` and `core`. Begin with `json_parser`. May import `core`
and below.
"""
