"""Tools of any shape become a ToolSpec, and bare text gets the type of its schema."""
