"""Reading of messages: pushed in chunks, whole, or from a stream."""
