"""An MCP server that is there at once: without the package `mcp`, which takes a second to import.

It lists its tools, and ends, or hangs, when one is called. It goes when its input ends.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

NAMES = ("exit", "hang") if "--nameless" not in sys.argv else ("exit", "")


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Returns what a response has beside its id."""
    match method:
        case "initialize":
            about = {"name": "bare", "version": "1"}
            version = params["protocolVersion"]
            result = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": about,
            }
        case "tools/list":
            result = {
                "tools": [{"name": each, "inputSchema": {"type": "object"}} for each in NAMES]
            }
        case "tools/call" if params["name"] == "exit":
            os._exit(3)
        case "tools/call":
            started = Path(params["arguments"]["started"])
            unfinished = started.with_suffix(".part")
            unfinished.write_text(str(os.getpid()), encoding="utf-8")
            unfinished.replace(started)
            sys.stdin.read()
            sys.exit()
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}
    return {"result": result}


if __name__ == "__main__":
    if "--mute" in sys.argv:
        sys.stdin.read()
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            found = answer(request["method"], request.get("params", {}))
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **found}) + "\n")
            sys.stdout.flush()
