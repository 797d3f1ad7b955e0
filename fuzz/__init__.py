"""The fuzzer: what it asks of an input, and how it runs."""
