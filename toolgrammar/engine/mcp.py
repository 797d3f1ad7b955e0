"""Connects to an MCP server and offers its tools as tools of the engine.

`with McpTools("http://localhost:8000/mcp") as tools: Engine(tools)` runs the calls on the server.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

from toolgrammar.engine.tool import Tool, checked_timeout
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    import mcp
    from mcp.client import Transport
    from mcp.server import MCPServer, Server

    from toolgrammar.engine.context import ToolContext

    McpServer: TypeAlias = mcp.StdioServerParameters | str | Transport | Server[Any] | MCPServer

__all__ = ["McpFailure", "McpTools"]

_START_LIMIT = 60.0
"""The seconds within which a server has to start and list its tools, if no timeout is given."""

_LOOK_AGAIN = 0.25
"""The seconds after which a waiting sync tool checks whether its call was abandoned."""


class McpFailure(Exception):  # noqa: N818 - what failed is the call, on the server
    """Raised if a call failed on the server, or the connection is closed."""


class McpTools:
    """The tools of one MCP server, for as long as the `with` block lasts.

    The session has its own event loop in its own thread: the tools work from any thread and any
    loop. The hints of a server about its tools (read-only, idempotent) are not trusted and have no
    effect.
    """

    def __init__(
        self,
        server: McpServer,
        *,
        prefix: str = "",
        timeout: float | None = None,
        cache: bool = False,
    ) -> None:
        """Stores the options; the `with` block connects.

        Args:
            server: whatever `mcp.Client` connects to: `StdioServerParameters`, a URL, a transport,
                a server in this process.
            prefix: a text to put before the names of the tools.
            timeout: seconds for each call, and for the start; None: the engine's limit for calls.
            cache: whether the engine may keep the tools' results.

        Raises:
            ImportError: mcp is not installed, or older than 2.
            ValueError: `timeout` is not positive, or the server is a text that is no URL.
            TypeError: `timeout` is not a number, or `prefix` no text.
        """
        try:
            from mcp import Client
        except ImportError as problem:
            raise ImportError(
                "McpTools needs mcp 2 or newer: pip install 'toolgrammar[mcp]'"
            ) from problem
        # Only the start would fail, without a word about how to name a program.
        if isinstance(server, str) and not server.startswith(("http://", "https://")):
            raise ValueError(
                f"an MCP server that is a text is a URL, got {server!r}: for a program write "
                "StdioServerParameters(command=…, args=[…])"
            )
        check_type("prefix", prefix, str)
        checked_timeout(timeout)
        self._new_client = Client
        self._server = server
        self._prefix = prefix
        self._timeout = timeout
        self._cache = cache
        self._session: _Session | None = None
        self._tools: tuple[Tool, ...] = ()

    def __enter__(self) -> Self:
        session = self._begun()
        # Also if the wait is interrupted: a server that was started must not keep running.
        try:
            return self._entered(session, session.ready.result())
        except BaseException:
            session.stop()
            raise

    async def __aenter__(self) -> Self:
        session = self._begun()
        try:
            return self._entered(session, await asyncio.wrap_future(session.ready))
        except BaseException:
            session.stop()
            raise

    def __exit__(self, *_: object) -> None:
        # Cleared first, so that a second `__exit__` does nothing.
        session, self._session, self._tools = self._session, None, ()
        if session is not None:
            session.stop()
            session.over.result()

    async def __aexit__(self, *_: object) -> None:
        session, self._session, self._tools = self._session, None, ()
        if session is not None:
            session.stop()
            await asyncio.wrap_future(session.over)

    def __iter__(self) -> Iterator[Tool]:
        """Iterates over the tools, in the server's order.

        Raises:
            RuntimeError: the `with` block has not begun, or is over.
        """
        if self._session is None:
            raise RuntimeError("the tools are there inside the block: with McpTools(…) as tools")
        return iter(self._tools)

    def _begun(self) -> _Session:
        if self._session is not None:
            raise RuntimeError("these tools are connected already")
        client = self._new_client(self._server)
        return _Session(client, _START_LIMIT if self._timeout is None else self._timeout)

    def _entered(self, session: _Session, listed: list[mcp.Tool]) -> Self:
        self._tools = tuple(self._tool(session, description) for description in listed)
        self._session = session
        return self

    def _tool(self, session: _Session, description: mcp.Tool) -> Tool:
        """Returns the tool of the engine that calls a tool of the server."""
        name = description.name

        # The first parameter has a name that no server uses for an argument.
        def call(toolgrammar_context: ToolContext, /, **arguments: Any) -> Any:
            return _awaited(session.submit(name, arguments), toolgrammar_context)

        async def call_async(**arguments: Any) -> Any:
            return await asyncio.wrap_future(session.submit(name, arguments))

        # Omitted rather than None, which would mean no limit: the engine's limit has to apply.
        limit: dict[str, Any] = {} if self._timeout is None else {"timeout": self._timeout}
        schema = {
            "name": self._prefix + name,
            "description": description.description or "",
            "inputSchema": description.input_schema,
        }
        return Tool(call, async_fn=call_async, schema=schema, cache=self._cache, **limit)


def _awaited(answer: Future[Any], context: ToolContext) -> Any:
    """Returns the answer of the server; cancels the request if the call was abandoned."""
    while True:
        try:
            # Waits in steps, since nothing can wake the thread when its call is abandoned.
            return answer.result(_LOOK_AGAIN)
        except TimeoutError:
            # The answer may have come since, or the error may be the answer itself.
            if answer.done():
                return answer.result()
            if context.cancelled.is_set():
                answer.cancel()
                raise


class _Session:
    """One connection, in a thread of its own."""

    def __init__(self, client: mcp.Client, limit: float) -> None:
        self.ready: Future[list[mcp.Tool]] = Future()
        self.over: Future[None] = Future()
        # Only the thread completes them: cancelling a wait for them must not cancel them.
        self.ready.set_running_or_notify_cancel()
        self.over.set_running_or_notify_cancel()
        self._client = client
        self._limit = limit
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="toolgrammar-mcp", daemon=True).start()

    def stop(self) -> None:
        """Asks the thread to end the connection; `over` is done when it has ended."""
        with self._lock:
            self._stopping = True
            # A thread that has no loop yet sees `_stopping`, and does not connect.
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def submit(self, name: str, arguments: dict[str, Any]) -> Future[Any]:
        """Starts a call; its future has the value of the tool, or raises `McpFailure`."""
        with self._lock:
            # Under the lock, so that no call is submitted to a loop that is ending.
            if self._loop is None:
                raise McpFailure("the connection to the MCP server is closed")
            return asyncio.run_coroutine_threadsafe(self._call(name, arguments), self._loop)

    def _run(self) -> None:
        """Runs in the thread, from its start to its end."""
        try:
            asyncio.run(self._serve())
        except BaseException as problem:
            # After a successful start nothing waits for this error; running calls fail by
            # themselves.
            if not self.ready.done():
                self.ready.set_exception(_start_failure(problem))
        finally:
            self.over.set_result(None)

    async def _serve(self) -> None:
        """Opens and closes the connection in one task, as anyio requires."""
        # Set by the task itself, so that `stop` can't cancel it before it has begun.
        with self._lock:
            if self._stopping:
                return
            self._task = asyncio.current_task()
            self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limit) as limit, self._client:
                listed = await self._listed()
                # The limit is for the start only, not for the life of the connection.
                limit.reschedule(None)
                self.ready.set_result(listed)
                # Nothing sets this event: the task waits here to be cancelled by `stop`.
                await asyncio.Event().wait()
        finally:
            with self._lock:
                self._loop = None
            # Calls in flight end here: `asyncio.run` would log what they raise as unhandled.
            calls = asyncio.all_tasks() - {asyncio.current_task()}
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    async def _listed(self) -> list[mcp.Tool]:
        """Returns the tools of all pages."""
        page = await self._client.list_tools()
        tools = list(page.tools)
        while page.next_cursor is not None:
            page = await self._client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        return tools

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Calls a tool of the server and returns its value."""
        from mcp import MCPError

        try:
            result = await self._client.call_tool(name, arguments)
        except MCPError as problem:
            raise McpFailure(problem.message) from problem
        except asyncio.CancelledError:
            # `_serve` has ended, which cancels its calls; any other cancellation is the caller's.
            if self._loop is None:
                raise McpFailure("the connection to the MCP server was closed") from None
            raise
        if result.is_error:
            raise McpFailure(_error_text(result))
        return _value(result)


def _value(result: mcp.types.CallToolResult) -> Any:
    """Returns the value of a call: the structured content if there is any, else the blocks."""
    structured = result.structured_content
    if structured is not None:
        # Structured content has to be an object, so servers wrap a bare `5` as `{"result": 5}`.
        if isinstance(structured, dict) and structured.keys() == {"result"}:
            return structured["result"]
        return structured
    parts: list[Any] = []
    for block in result.content:
        if block.type != "text":
            parts.append(block.model_dump(mode="json", by_alias=True, exclude_none=True))
        # Consecutive texts are joined; images between them keep their places.
        elif parts and isinstance(parts[-1], str):
            parts[-1] += "\n" + block.text
        else:
            parts.append(block.text)
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    # A result without blocks is an empty text.
    return parts or ""


def _error_text(result: mcp.types.CallToolResult) -> str:
    """Returns the server's message about a failed call."""
    texts = [block.text for block in result.content if block.type == "text"]
    return "\n".join(texts) or "the MCP server gave an error without a text"


def _start_failure(problem: BaseException) -> BaseException:
    """Returns the exception that the `with` block raises if the connection failed."""
    # anyio's task groups wrap errors in groups; a single error is unwrapped.
    while isinstance(problem, BaseExceptionGroup) and len(problem.exceptions) == 1:
        problem = problem.exceptions[0]
    # An interrupt or a cancellation is not a failure of the server.
    if not isinstance(problem, Exception):
        return problem
    said = str(problem) or type(problem).__name__
    failure = ConnectionError(f"the MCP server did not start: {said}")
    failure.__cause__ = problem
    return failure
