"""The command line; the only code that reads standard input and prints."""
