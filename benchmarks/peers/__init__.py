"""Other parsers of tool calls, each behind the same few functions."""
