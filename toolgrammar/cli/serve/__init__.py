"""The command `serve`: a proxy before a server of OpenAI's API.

In: the options of the command line. Out: a proxy that runs until it is interrupted. Begin with
`command.py`. It imports `toolgrammar.proxy`, when the command runs, and what all commands share.
"""
