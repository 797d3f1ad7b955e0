"""Relays requests to the upstream and rewrites the answers, as an ASGI application.

Example: a request for `/v1/chat/completions` with tools is answered with tool calls; everything
else is passed on byte for byte.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import anyio
import anyio.to_thread

from toolgrammar.proxy.answer import reading_of
from toolgrammar.proxy.bodies import error_body, to_bytes
from toolgrammar.proxy.prompted import rewrite_request
from toolgrammar.proxy.response import read_body
from toolgrammar.proxy.stream import TOO_LONG, StreamRewriter, error_events
from toolgrammar.proxy.upstream import (
    BadRequestError,
    UpstreamError,
    request_headers,
    response_headers,
)
from toolgrammar.values.errors import RenderError
from toolgrammar.values.feedback import shown_name

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp
    from starlette.types import Receive, Scope, Send
    from yarl import URL

    from toolgrammar.proxy.answer import Reading
    from toolgrammar.proxy.metrics import Metrics
    from toolgrammar.proxy.models import ModelRule, ModelRules
    from toolgrammar.proxy.upstream import Upstream
    from toolgrammar.salvage.policy import SalvagePolicy
    from toolgrammar.salvage.refusals import Refusal
    from toolgrammar.values.calls import ToolCall

Given = ParamSpec("Given")
Made = TypeVar("Made")
LOG: Final = logging.getLogger("toolgrammar.proxy")
_PATHS: Final = ("/chat/completions", "/completions")
_JSON: Final = [(b"content-type", b"application/json")]
_LONG: Final = 65_536
"""Bytes that are read in a thread: in the event loop 5 MB would hold up all other answers for a
second. Fewer are not worth it: a thread costs as much as three deltas."""


class _Gone(Exception):  # noqa: N818 - no error: the client has left
    """The client has disconnected before its answer had ended."""


_LAST_EVENT: Final = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]\s*$")
"""The end of a stream, for a client: most disconnect here, before the body has ended."""


@dataclass
class _Answering:
    """A request, and the state of its answer."""

    scope: Scope
    send: Send
    body: bytes = b""
    reading: Reading | None = None
    rewriter: StreamRewriter | None = None
    started: bool = False
    ended: bool = False
    left: int | None = None
    """Bytes of the body that are still to come; None if its length was not declared."""
    tail: bytes = b""
    """The last bytes that were sent."""
    model: object = None
    calls: int = 0
    status: int = 0
    started_at: float = field(default_factory=perf_counter)

    def take_body(self, body: bytes) -> None:
        """Stores the request's body."""
        self.body = body

    def read_by(self, reading: Reading | None) -> None:
        """Sets how the answer is read; None if it is not."""
        self.reading = reading

    def asks(self, model: object) -> None:
        """Stores the name of the model in the request."""
        self.model = model

    def count_call(self) -> None:
        """Counts a call that was passed on."""
        self.calls += 1

    def pass_on(self) -> None:
        """Lets the answer pass unread."""
        self.reading = None

    def rewrite_by(self, rewriter: StreamRewriter) -> None:
        """Sets the rewriter of the streamed answer."""
        self.rewriter = rewriter

    async def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Sends status and headers."""
        self.status = status
        self.started = True
        length = dict(headers).get(b"content-length", b"")
        if length.isdigit():
            self.left = int(length)
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, body: bytes, *, more: bool = True) -> None:
        """Sends a part of the body; waits if the client reads more slowly than the model writes."""
        self.ended = self.ended or not more
        # Long enough for `data: [DONE]` with its line ends, however the parts were cut.
        self.tail = (self.tail + body)[-32:]
        if self.left is not None:
            self.left -= len(body)
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    def has_all(self) -> bool:
        """Whether the client has everything, so that it may disconnect without missing anything."""
        return self.ended or self.left == 0 or _LAST_EVENT.search(self.tail) is not None

    async def error(self, status: int, code: str, message: str, kind: str) -> None:
        """Sends an error as the whole answer."""
        body = to_bytes(error_body(message, code, kind))
        await self.start(status, [*_JSON, (b"content-length", str(len(body)).encode())])
        await self.write(body, more=False)


class Relay:
    """The proxy's request handler; an ASGI application."""

    def __init__(
        self,
        upstream: Upstream,
        rules: ModelRules,
        metrics: Metrics,
        *,
        policy: SalvagePolicy,
        max_body: int,
    ) -> None:
        """Sets up the handler.

        Args:
            upstream: the server that is asked.
            rules: the format in which each model writes.
            metrics: the counters.
            policy: decides which calls may run.
            max_body: the maximal size in bytes of a request, a whole answer and an event.
        """
        self._upstream = upstream
        self._rules = rules
        self._metrics = metrics
        self._policy = policy
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        # Websockets are not answered: OpenAI's API for chat has none.
        if scope["type"] != "http":
            return
        answering = _Answering(scope, send)
        with self._metrics.open.track_inprogress():
            try:
                answering.take_body(await self._body(receive))
                await self._until_gone(answering, receive)
            except BadRequestError as problem:
                await answering.error(
                    problem.status, problem.code, problem.message, "invalid_request_error"
                )
            except _Gone:
                self._metrics.disconnects.inc()
            finally:
                self._note(answering)

    async def _body(self, receive: Receive) -> bytes:
        """Returns the body of a request, up to the maximal size."""
        parts, size = [], 0
        while True:
            message = await receive()
            # The client has left, so half a request needs no answer.
            if message["type"] == "http.disconnect":
                raise _Gone
            part = message.get("body", b"")
            size += len(part)
            # While it arrives, not afterwards: an endless request would fill the memory.
            if size > self._max_body:
                text = f"the request has more than {self._max_body} bytes"
                raise BadRequestError(413, "request_too_large", text)
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)

    async def _until_gone(self, answering: _Answering, receive: Receive) -> None:
        """Answers until all is sent or the client disconnects, which frees the connection."""
        gone = False
        problems: list[BadRequestError] = []
        async with anyio.create_task_group() as group:

            async def answer() -> None:
                try:
                    await self._answer(answering)
                except BadRequestError as problem:
                    # Stored and raised outside: a task group would wrap it.
                    problems.append(problem)
                group.cancel_scope.cancel()

            group.start_soon(answer)
            while (await receive())["type"] != "http.disconnect":
                pass
            # A disconnect is also reported for a client whose answer has ended: it may finish.
            if not answering.ended:
                gone = not answering.has_all()
                group.cancel_scope.cancel()
        if problems:
            raise problems[0]
        if gone:
            raise _Gone

    async def _answer(self, answering: _Answering) -> None:
        """Asks the upstream and sends its answer, or an error."""
        scope = answering.scope
        try:
            address = self._address(scope)
            body = await _off_loop(len(answering.body), self._prepared, answering)
            headers = request_headers(scope["headers"], rewritten=answering.reading is not None)
            async with self._upstream.ask(scope["method"], address, headers, body) as response:
                await self._relayed(answering, response)
        except UpstreamError as problem:
            await self._broken(answering, problem)
        # Handled in `__call__`, where the client gets its own error, and no failure of the
        # upstream is counted.
        except BadRequestError:
            raise
        # The last resort: the client gets an end, and the log no content.
        except Exception as problem:
            LOG.error("an answer could not be read: %s", type(problem).__name__)  # noqa: TRY400 - a traceback may hold content
            text = "the proxy could not read the answer"
            await self._broken(answering, UpstreamError(502, "proxy_failed", text))

    def _address(self, scope: Scope) -> URL:
        # As the client wrote it: a decoded path may be a different one.
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        query = scope.get("query_string", b"").decode("latin-1")
        try:
            return self._upstream.address(path, query)
        except ValueError as problem:
            raise BadRequestError(400, "invalid_path", str(problem)) from None

    def _prepared(self, answering: _Answering) -> bytes:
        """Returns the body for the upstream; sets up the reading of its answer, if needed."""
        scope, body = answering.scope, answering.body
        if scope["method"] != "POST" or not scope["path"].rstrip("/").endswith(_PATHS):
            return body
        # Unread it would be answered without its prompt, and its calls would stay text.
        if dict(scope["headers"]).get(b"content-encoding", b"identity").lower() != b"identity":
            text = "the proxy reads no compressed requests: send it without content-encoding"
            raise BadRequestError(415, "unsupported_encoding", text)
        try:
            request = json.loads(body)
        # The upstream reports the error in its own words.
        except (ValueError, RecursionError):
            return body
        # A list or a number: the upstream reports what is wrong with it.
        if not isinstance(request, dict):
            return body
        answering.asks(request.get("model"))
        # Answers of a model without a rule are passed on unchanged.
        rule = self._rules[request.get("model")]
        if rule is None:
            return body
        try:
            report = partial(self._report, answering, rule)
            reading = reading_of(
                request, rule.format, self._policy, rule.prefix, report, repair=rule.repair
            )
            answering.read_by(reading)
            if not (rule.prompt or rule.body):
                return body
            new = rewrite_request(request, format=rule.format, prompt=rule.prompt)
            return to_bytes({**new, **rule.body})
        except (TypeError, ValueError, RecursionError, RenderError) as problem:
            raise BadRequestError(400, "invalid_request", f"{problem}"[:500]) from None

    async def _relayed(self, answering: _Answering, response: aiohttp.ClientResponse) -> None:
        """Forwards the upstream's answer, rewritten if it is to be read."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_stream = kind == "text/event-stream"
        rewritten = answering.reading is not None and response.status == 200
        # An answer that is compressed in spite of the request is passed on unread.
        rewritten = rewritten and response.headers.get("content-encoding", "identity") == "identity"
        headers = response_headers(response, rewritten=rewritten)
        if not rewritten:
            answering.pass_on()
            await answering.start(response.status, headers)
            async for part in response.content.iter_any():
                await answering.write(part)
            await answering.write(b"", more=False)
        elif is_stream:
            rewriter = StreamRewriter(answering.reading, longest_event=self._max_body)
            answering.rewrite_by(rewriter)
            rewriter.start_bytes()
            # The conversation is searched for calls, at least four times as fast as they are read.
            searched = len(answering.body) // 4
            await answering.start(200, headers)
            async for part in response.content.iter_any():
                size = searched + rewriter.size + len(part)
                if out := b"".join(await _off_loop(size, rewriter.feed, part)):
                    await answering.write(out)
                if rewriter.failed:
                    break
            end = await _off_loop(searched + rewriter.size, rewriter.close)
            await answering.write(b"".join(end), more=False)
            if rewriter.failed:
                self._count_failure(rewriter.failed)
        else:
            await self._whole(answering, response, headers)

    async def _whole(
        self,
        answering: _Answering,
        response: aiohttp.ClientResponse,
        headers: list[tuple[bytes, bytes]],
    ) -> None:
        """Sends a whole answer, rewritten, up to the maximal size."""
        parts, size = [], 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > self._max_body:
                text = f"the upstream's answer has more than {self._max_body} bytes"
                raise UpstreamError(502, TOO_LONG, text)
            parts.append(part)
        assert answering.reading is not None
        size += len(answering.body)
        body = await _off_loop(size, read_body, b"".join(parts), answering.reading)
        await answering.start(200, [*headers, (b"content-length", str(len(body)).encode())])
        await answering.write(body, more=False)

    def _count_failure(self, code: str) -> None:
        self._metrics.upstream_errors.labels(code).inc()
        LOG.warning("the upstream failed: %s", code)

    async def _broken(self, answering: _Answering, problem: UpstreamError) -> None:
        """Ends an answer that the upstream did not end."""
        code = problem.code
        self._count_failure(code)
        if not answering.started:
            await answering.error(problem.status, code, problem.message, "upstream_error")
        elif (rewriter := answering.rewriter) is not None and not answering.ended:
            try:
                end = b"".join(await _off_loop(rewriter.size, rewriter.fail, problem.message, code))
            # The error in the reading may prevent a proper end, too.
            except Exception:
                end = error_events(problem.message, code)
            await answering.write(end, more=False)
        # Otherwise nothing can be added to bytes that were not read. The answer is left without its
        # end, so that the server closes the connection, as the upstream did.

    def _report(
        self, answering: _Answering, rule: ModelRule, call: ToolCall, refusal: Refusal | None
    ) -> None:
        self._metrics.count(rule.format, refusal)
        if refusal is None:
            answering.count_call()
        else:
            # `shown_name`, so that a model can't write lines into the log. The arguments are never
            # logged.
            LOG.info("refused a call of %s: %s", shown_name(call.name), refusal.code)

    def _note(self, answering: _Answering) -> None:
        """Counts and logs an answer at its end."""
        kind = "passed" if answering.reading is None else "rewritten"
        seconds = perf_counter() - answering.started_at
        self._metrics.requests.labels(kind, str(answering.status)).inc()
        self._metrics.seconds.observe(seconds)
        # Neither query nor headers, which contain keys.
        path = json.dumps(answering.scope["path"][:200])
        method, status = answering.scope["method"], answering.status
        model = answering.model if isinstance(answering.model, str) else ""
        said = (json.dumps(model[:80]), answering.calls)
        LOG.info("%s %s %s %s model=%s calls=%d %.3fs", method, path, status, kind, *said, seconds)


async def _off_loop(
    size: int, work: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs
) -> Made:
    """Returns what some work returns, done off the event loop if it has many bytes to read."""
    if size <= _LONG:
        return work(*args, **kwargs)
    return await anyio.to_thread.run_sync(partial(work, *args, **kwargs))
