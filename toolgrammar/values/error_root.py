"""The exception that all others of the package are."""


class ToolGrammarError(Exception):
    """A caller's mistake; the text of a model never raises."""
