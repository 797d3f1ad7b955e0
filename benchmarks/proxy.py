"""What does the proxy add to a delta, and does it lose anything: 200 streams at once?

An upstream in a process of its own sends an answer of 4 KB, with a call at its end, as deltas of
four characters, one every `--pause` seconds; each delta holds when it was sent. 200 clients in this
process read it, first from the upstream alone, then through a proxy in a third process. The delay
of a delta is the time from when it was sent to when it was read; what the proxy adds is the
difference of the medians and of the 99th percentiles. The goal is at most 1 ms at the median.

It is measured twice. `apart`: the clients came at different times, so that the streams' deltas are
spread over the pause. `in step`: all come at once, and 200 deltas are sent in one go, as a server
does that decodes all its streams in one batch. There most of a delay is waiting for the deltas
before it to be sent, one system call each, and one more each in any proxy: `relay` is the same
through 40 lines that copy bytes and read nothing.

Then the upstream breaks off in the middle of each of 50 streams, behind a call that has ended, and 50
clients leave in the middle of theirs: every stream ends with an error that clients know, the call is
there, and no connection to the upstream is left. `--pause 0` sends as fast as it goes: it is the
throughput then, and not the delay.

The goals are met where `whole` is the number of streams, `added` of `apart` at the median at most 1,
and `well ended` and `with their call` are 50.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import socket
import time
from argparse import ArgumentParser
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = {"type": "function", "function": {"name": "save", "parameters": {"type": "object"}}}
PROSE = "The fjord lies still in the morning, and nobody is out on the water yet. "
CALL = '<tool_call>\n{"name": "save", "arguments": {"text": "%s"}}\n</tool_call>' % (PROSE * 12)
ANSWER = (PROSE * 60)[: 4096 - len(CALL)] + CALL
BROKEN = f"{CALL}\n{PROSE * 30}"
"""An answer that breaks off in the middle: behind its call."""
SIZE = 4
OPEN = {"streams": 0}


async def upstream(scope: Any, receive: Any, send: Any) -> None:
    """Answers as a server of models does."""
    await APP(scope, receive, send)


async def _answer(request: Any) -> Any:
    said = await request.json()
    return StreamingResponse(_events(said), media_type="text/event-stream")


async def _events(said: dict[str, Any]) -> Any:
    OPEN["streams"] += 1
    try:
        text = BROKEN if said.get("breaks") else ANSWER
        pieces = [text[at : at + SIZE] for at in range(0, len(text), SIZE)]
        for number, piece in enumerate(pieces):
            if said.get("breaks") and number == len(pieces) // 2:
                raise ConnectionResetError
            yield _event({"content": piece})
            await asyncio.sleep(said["pause"])
        yield _event({}, "stop")
        yield b"data: [DONE]\n\n"
    finally:
        OPEN["streams"] -= 1


def _event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    # One clock for all processes of a machine.
    chunk = {"id": "1", "model": "m", "sent": time.monotonic(), "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


async def _open(_: Any) -> Any:
    return JSONResponse(OPEN)


APP = Starlette(
    routes=[Route("/v1/chat/completions", _answer, methods=["POST"]), Route("/open", _open)]
)


def serve(listener: socket.socket, address: str | None) -> None:
    """Serves the upstream, or a proxy before its address."""
    app: Any = upstream
    if address is not None:
        app = create_app(address, ModelRules({}, ModelRule("hermes")))
    config = uvicorn.Config(app, log_level="critical", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


def relay(listener: socket.socket, address: str) -> None:
    """Copies the bytes of connections to and from an address: the least that a proxy costs."""
    host, _, port = address.removeprefix("http://").partition(":")

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, to_behind = await asyncio.open_connection(host, int(port))
        await asyncio.gather(copy(reader, to_behind), copy(behind, writer), return_exceptions=True)

    async def run() -> None:
        server = await asyncio.start_server(connected, sock=listener)
        await server.serve_forever()

    asyncio.run(run())


def started(
    server: Callable[[socket.socket], None],
) -> tuple[multiprocessing.Process, str]:
    """Starts a server in a process of its own; returns it and its address."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    process = multiprocessing.Process(target=server, args=(listener,), daemon=True)
    process.start()
    return process, f"http://127.0.0.1:{listener.getsockname()[1]}"


async def read(client: httpx.AsyncClient, address: str, said: dict[str, Any]) -> dict[str, Any]:
    """Reads one stream as a client does."""
    found: dict[str, Any] = {"text": "", "calls": [], "error": None, "delays": []}
    leaves_at = said.get("leaves")
    body = {"model": "m", "messages": [], "tools": [TOOL], "stream": True, **said}
    async with client.stream("POST", f"{address}/v1/chat/completions", json=body) as answer:
        if answer.status_code != 200:
            # No stream has begun: the error is the whole answer.
            error = json.loads(await answer.aread())["error"]
            return {**found, "error": error["code"], "status": answer.status_code}
        async for line in answer.aiter_lines():
            now = time.monotonic()
            if not line.startswith("data: {"):
                continue
            chunk = json.loads(line[6:])
            if "error" in chunk:
                found["error"] = chunk["error"]["code"]
                continue
            if found["error"]:
                # Nothing may follow an error but the last event.
                found["error"] = "not the last"
            delta = chunk["choices"][0]["delta"]
            # Of text only: a call waits for its end, by right.
            if delta.get("content"):
                found["text"] += delta["content"]
                found["delays"].append((now - chunk.get("sent", now)) * 1000)
            found["calls"] += delta.get("tool_calls") or []
            if leaves_at is not None and len(found["text"]) > leaves_at:
                break
    return found


async def many(address: str, count: int, said: dict[str, Any], apart: float = 0.0) -> list[Any]:
    """Reads so many streams at once; they begin one after the other, over `apart` seconds."""
    limits = httpx.Limits(max_connections=None)

    async def one(number: int) -> dict[str, Any]:
        await asyncio.sleep(apart * number / count)
        return await read(client, address, said)

    async with httpx.AsyncClient(timeout=300, limits=limits, trust_env=False) as client:
        return await asyncio.gather(*map(one, range(count)), return_exceptions=True)


async def nothing_open(address: str) -> float:
    """Returns after how many seconds no stream is open any more."""
    begun = time.monotonic()
    async with httpx.AsyncClient(trust_env=False) as client:
        while (await client.get(f"{address}/open")).json()["streams"]:
            if time.monotonic() > begun + 30:
                return float("inf")
            await asyncio.sleep(0.01)
    return time.monotonic() - begun


def has_call(found: dict[str, Any]) -> bool:
    """Returns whether a stream gave its one call, with all of its arguments."""
    if len(found["calls"]) != 1:
        return False
    function = found["calls"][0]["function"]
    return function["name"] == "save" and json.loads(function["arguments"])["text"] == PROSE * 12


def percentiles(found: list[Any]) -> tuple[float, float]:
    """Returns the median and the 99th percentile of all delays, in ms."""
    cuts = quantiles([delay for each in found for delay in each["delays"]], n=100)
    return cuts[49], cuts[98]


def read_streams(address: str, count: int, pause: float, apart: float) -> dict[str, Any]:
    """Returns the delays of so many streams, and how many came whole."""
    begun = time.monotonic()
    found = asyncio.run(many(address, count, {"pause": pause}, apart))
    failed = [each for each in found if isinstance(each, BaseException)]
    found = [each for each in found if not isinstance(each, BaseException)]
    p50, p99 = percentiles(found)
    # Without the proxy the call is text.
    whole = sum(
        each["text"] == ANSWER or (has_call(each) and each["text"] == ANSWER.removesuffix(CALL))
        for each in found
    )
    return {
        "whole": whole, "failed": len(failed), "p50 ms": p50, "p99 ms": p99,
        "seconds": time.monotonic() - begun,
    }  # fmt: skip


def measure(count: int, pause: float) -> dict[str, Any]:
    """Returns all figures."""
    first, bare = started(partial(serve, address=None))
    second, proxy = started(partial(serve, address=bare))
    third, copied = started(partial(relay, address=bare))
    time.sleep(3)
    figures: dict[str, Any] = {"streams": count, "characters": len(ANSWER), "pause": pause}
    servers = {"upstream alone": bare, "relay": copied, "through the proxy": proxy}
    for way, apart in (("apart", pause), ("in step", 0.0)):
        found = {
            name: read_streams(address, count, pause, apart) for name, address in servers.items()
        }
        alone = found["upstream alone"]
        for name in ("relay", "through the proxy"):
            found[name]["added"] = {
                key: found[name][key] - alone[key] for key in ("p50 ms", "p99 ms")
            }
        figures[way] = found
    broken = asyncio.run(many(proxy, 50, {"pause": 0.001, "breaks": True}))
    read_ = [each for each in broken if isinstance(each, dict)]
    figures["broken off"] = {
        "streams": len(broken),
        "well ended": sum(each["error"] == "upstream_ended" for each in read_),
        "with their call": sum(has_call(each) for each in read_),
        # What became of all others, if there are any.
        "otherwise": Counter(
            repr(each)[:200] for each in broken if each not in read_ or "status" in each
        ),
        "seconds until freed": asyncio.run(nothing_open(bare)),
    }
    asyncio.run(many(proxy, 50, {"pause": 0.01, "leaves": 200}))
    figures["left"] = {"streams": 50, "seconds until freed": asyncio.run(nothing_open(bare))}
    for process in (third, second, first):
        process.terminate()
    return figures


def main() -> None:
    """Prints the figures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between deltas")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    figures = measure(options.streams, options.pause)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        Path(options.json).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
