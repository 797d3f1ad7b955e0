"""The command `serve`: a proxy that turns calls in a server's text into tool calls."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.cli.input import InputError

if TYPE_CHECKING:
    import argparse

    from toolgrammar.salvage.policy import SalvagePolicy


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "serve",
        help="run a proxy that turns calls in a server's text into tool calls",
        description="Stands before a server that speaks OpenAI's API and gives its clients the "
        "calls in the text of the model as tool calls. Needs toolgrammar[proxy].",
    )
    parser.add_argument("--upstream", required=True, metavar="URL", help="address of the server")
    # One format for all models, or a file with one for each: both would contradict each other.
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--format", help="id, alias or path of a .lark file, for all models")
    chosen.add_argument("--formats", metavar="FILE", help="TOML file with a format for each model")
    parser.add_argument(
        "--prompt", action="store_true", help="write the tools into the prompt: the server has none"
    )
    parser.add_argument(
        "--prefix", default="", help="what the chat template writes of the answer, `<think>` say"
    )
    parser.add_argument(
        "--repair", action="store_true", help="repair broken tool calls of the server's own, too"
    )
    parser.add_argument(
        "--in-code", action="store_true", help="hand out calls in blocks of code, too"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)"
    )
    parser.add_argument("--port", type=int, default=8800, help="port to listen at (default: 8800)")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="without a byte for so long, an answer is given up (default: 600)",
    )
    parser.add_argument(
        "--max-body",
        type=int,
        metavar="BYTES",
        help="longest request, answer (text of a stream) and event (default: 32000000)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is interrupted, and returns the exit status."""
    # Imported here: other commands work without the packages of the proxy.
    from toolgrammar.proxy import app
    from toolgrammar.proxy.models import ModelRule, ModelRules, read_rules
    from toolgrammar.proxy.upstream import without_keys
    from toolgrammar.salvage import policy as salvage

    said = {key: getattr(arguments, key) for key in ("prompt", "prefix", "repair")}
    policy = salvage.SalvagePolicy(in_code=arguments.in_code)
    try:
        rules = (
            ModelRules({}, ModelRule(arguments.format, **said))
            if arguments.formats is None
            else read_rules(Path(arguments.formats), said)
        )
        application = app.create_app(
            arguments.upstream,
            rules,
            policy=policy,
            max_body=app.MAX_BODY if arguments.max_body is None else arguments.max_body,
            timeout=app.TIMEOUT if arguments.timeout is None else arguments.timeout,
        )
    # A wrong option or file is reported on one line, without a traceback.
    except ValueError as problem:
        raise InputError(str(problem)) from None
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        listener = app.listen(arguments.host, arguments.port)
    except ValueError as problem:
        raise InputError(str(problem)) from None
    # The socket already accepts clients, so the line is true when it is read.
    port = listener.getsockname()[1]
    host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    print(f"toolgrammar serves http://{host}:{port}/v1 from {without_keys(arguments.upstream)}")
    print(f"formats: {rules}. {_in_words(policy)}", flush=True)
    app.run(application, listener)
    return 0


def _in_words(policy: SalvagePolicy) -> str:
    """Returns which calls are not handed out."""
    refused = ["of tools that were not offered", "cut or in doubt"]
    for lets_run, what in (
        (policy.in_code, "in code"),
        (policy.echoes, "copied from the conversation"),
        (policy.beside_native, "beside calls of the server"),
    ):
        if not lets_run:
            refused.append(what)
    return f"Calls that stay text: {', '.join(refused)}"
