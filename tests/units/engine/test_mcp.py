"""The tools of a real MCP server, from sync and from async code.

It is a process of its own where its process matters. The real one takes a second to start, so one
without the package stands in where it only has to end, or to hang.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from tests.units.engine.mcp_server import new_server
from toolgrammar import ToolCall
from toolgrammar.engine import Engine, MemorySink, Tool, ToolResult
from toolgrammar.engine.context import ToolContext
from toolgrammar.engine.mcp import McpTools, _awaited

SCRIPT = Path(__file__).with_name("mcp_server.py")
BARE = Path(__file__).with_name("bare_server.py")
NAMES = (
    "add", "echo", "object", "texts", "mixed", "nothing", "fail", "fail_mutely", "protocol_error",
    "hang",
)  # fmt: skip
IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


def server(*arguments: str, script: Path = BARE) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[str(script), *arguments])


@pytest.fixture(scope="module")
def tools() -> Iterator[McpTools]:
    """One server for all tests that leave it alive."""
    with McpTools(server(script=SCRIPT)) as connected:
        yield connected


def run_sync(engine: Engine, call: ToolCall) -> ToolResult:
    return engine.run_sync(call)


def run_async(engine: Engine, call: ToolCall) -> ToolResult:
    return asyncio.run(engine.run_async(call))


both_drivers = pytest.mark.parametrize("run", [run_sync, run_async])


def test_all_pages_are_listed(tools: McpTools) -> None:
    assert tuple(tool.name for tool in tools) == NAMES
    add = next(iter(tools))
    assert isinstance(add, Tool)
    assert add.description == "Adds."
    assert add.parameters["required"] == ["a", "b"]
    assert add.fn is not None
    assert add.async_fn is not None


def test_nothing_that_a_server_says_of_itself_switches_anything_on(tools: McpTools) -> None:
    assert [(tool.cache, tool.approval) for tool in tools] == [(False, None)] * len(NAMES)


@both_drivers
@pytest.mark.parametrize(
    ("call", "value"),
    [
        (ToolCall("add", {"a": 1, "b": "2"}), 3),
        (ToolCall("echo", {"x": {"y": [1, None, "ü"]}}), {"given": {"x": {"y": [1, None, "ü"]}}}),
        (ToolCall("echo", {"context": 1, "self": 2}), {"given": {"context": 1, "self": 2}}),
        (ToolCall("object"), {"result": 1, "more": [None]}),
        (ToolCall("texts"), "first\nsecond ü"),
        (ToolCall("mixed"), ["a\na", IMAGE, "a"]),
        (ToolCall("nothing"), ""),
    ],
)
def test_values(
    tools: McpTools, run: Callable[[Engine, ToolCall], ToolResult], call: ToolCall, value: object
) -> None:
    result = run(Engine(tools), call)
    assert (result.value, result.error) == (value, None)


@both_drivers
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fail", "the disk is full\ntoken=***"),
        ("fail_mutely", "the MCP server gave an error without a text"),
        ("protocol_error", "Internal server error"),
    ],
)
def test_errors_have_the_servers_text(
    tools: McpTools, run: Callable[[Engine, ToolCall], ToolResult], name: str, message: str
) -> None:
    result = run(Engine(tools), ToolCall(name))
    assert str(result.error) == f"tool_error:{message}"
    assert result.attempts == 1


@both_drivers
def test_arguments_are_checked_before_the_server_is_asked(
    tools: McpTools, run: Callable[[Engine, ToolCall], ToolResult]
) -> None:
    result = run(Engine(tools), ToolCall("add", {"a": 1}))
    assert result.error is not None
    assert (result.error.code, result.attempts) == ("bad_args", 0)


def test_many_calls_share_the_session(tools: McpTools) -> None:
    engine = Engine(tools)
    calls = [ToolCall("add", {"a": number, "b": 1}) for number in range(40)]
    expected = [number + 1 for number in range(40)]
    assert [result.value for result in engine.run_all_sync(calls)] == expected
    for _ in range(2):  # loops come and go
        found = asyncio.run(engine.run_all_async(calls))
        assert [result.value for result in found] == expected


def test_options_are_those_of_the_tools(tools: McpTools) -> None:
    """A prefix keeps servers apart; the cache is for those who ask; the limit is the tools'."""
    call = ToolCall("two_add", {"a": 1, "b": 1}, raw_arguments='{"a": 1, "b": 1}')
    with McpTools(new_server(), prefix="two_", timeout=30, cache=True) as other:
        engine = Engine([*tools, *other], cache=True)
        assert set(engine.tools) == {*NAMES, *(f"two_{name}" for name in NAMES)}
        assert {tool.timeout for tool in other} == {30}
        assert {tool.timeout for tool in tools} == {...}
        results = [engine.run_sync(call) for _ in range(2)]
    assert [(result.value, result.cached) for result in results] == [(2, False), (2, True)]


def test_async_with_works_in_a_loop() -> None:
    async def use() -> Any:
        async with McpTools(new_server()) as tools:
            result = await Engine(tools).run_async(ToolCall("add", {"a": 1, "b": 1}))
        return result.value

    assert asyncio.run(use()) == 2


@both_drivers
def test_a_server_that_dies_is_an_error_and_no_hang(
    run: Callable[[Engine, ToolCall], ToolResult],
) -> None:
    with McpTools(server()) as tools:
        engine = Engine(tools)
        for call in (ToolCall("exit"), ToolCall("hang"), ToolCall("exit")):
            result = run(engine, call)
            assert str(result.error) == "tool_error:Connection closed"


def test_a_server_that_is_killed_while_it_works_is_an_error(tmp_path: Path) -> None:
    started = tmp_path / "started"
    arguments = {"started": str(started), "cancelled": str(tmp_path / "cancelled")}
    with McpTools(server()) as tools:
        engine = Engine(tools)
        found: list[ToolResult] = []
        worker = threading.Thread(
            target=lambda: found.append(engine.run_sync(ToolCall("hang", arguments)))
        )
        worker.start()
        os.kill(int(wait_for(started)), signal.SIGTERM)
        worker.join()
    assert str(found[0].error) == "tool_error:Connection closed"


@both_drivers
def test_the_limit_of_a_call_ends_it_on_the_server_too(
    run: Callable[[Engine, ToolCall], ToolResult], tmp_path: Path
) -> None:
    cancelled = tmp_path / "cancelled"
    arguments = {"started": str(tmp_path / "started"), "cancelled": str(cancelled)}
    with McpTools(new_server()) as tools:
        engine = Engine(tools, timeout=1)
        result = run(engine, ToolCall("hang", arguments))
        assert str(result.error) == "tool_error:timeout"
        wait_for(cancelled)
        assert engine.run_sync(ToolCall("add", {"a": 1, "b": 1})).value == 2


@pytest.mark.parametrize(
    ("connect", "said"),
    [(server, "Connection closed"), (new_server, "the connection to the MCP server was closed")],
)
def test_a_call_in_flight_ends_with_the_block(
    connect: Callable[[], Any], said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    started = tmp_path / "started"
    arguments = {"started": str(started), "cancelled": str(tmp_path / "cancelled")}
    found: list[ToolResult] = []
    with McpTools(connect()) as tools:
        engine = Engine(tools, trace=MemorySink())
        worker = threading.Thread(
            target=lambda: found.append(engine.run_sync(ToolCall("hang", arguments)))
        )
        worker.start()
        wait_for(started)
    worker.join()
    assert str(found[0].error) == f"tool_error:{said}"
    assert [each.getMessage() for each in caplog.records] == []


def test_the_block_may_be_entered_again_but_not_twice_at_once() -> None:
    tools = McpTools(new_server())
    for _ in range(2):
        with tools:
            engine = Engine(tools)
            with pytest.raises(RuntimeError, match="connected already"):
                tools.__enter__()
        for run in (run_sync, run_async):
            result = run(engine, ToolCall("add", {"a": 1, "b": 1}))
            assert str(result.error) == "tool_error:the connection to the MCP server is closed"
        with pytest.raises(RuntimeError, match="inside the block"):
            list(tools)


def test_a_server_that_does_not_start_says_so() -> None:
    with pytest.raises(ConnectionError, match="the MCP server did not start"):
        McpTools(StdioServerParameters(command="no-such-program-anywhere")).__enter__()
    silent = StdioServerParameters(command=sys.executable, args=["-c", "pass"])
    with pytest.raises(ConnectionError, match="the MCP server did not start"):
        McpTools(silent).__enter__()

    async def use() -> None:
        async with McpTools(silent):
            pass

    with pytest.raises(ConnectionError, match="the MCP server did not start"):
        asyncio.run(use())


def test_a_server_that_says_nothing_is_given_up() -> None:
    with pytest.raises(ConnectionError, match="did not start: TimeoutError"):
        McpTools(server("--mute"), timeout=0.5).__enter__()


def test_a_server_with_a_tool_that_is_none_is_left() -> None:
    """Its process and its thread do not stay behind, and the next try is a try."""
    others = set(threading.enumerate())
    tools = McpTools(server("--nameless"))

    async def use() -> None:
        async with tools:
            pass

    for enter in (tools.__enter__, lambda: asyncio.run(use())):
        with pytest.raises(TypeError, match="without a name"):
            enter()
    for thread in set(threading.enumerate()) - others:
        thread.join(60)
        assert not thread.is_alive()


def test_a_start_may_be_cancelled() -> None:
    async def use() -> None:
        task = asyncio.create_task(McpTools(server("--mute")).__aenter__())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    others = set(threading.enumerate())
    asyncio.run(use())
    for thread in set(threading.enumerate()) - others:
        thread.join()  # would hang if the connection went on


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_limit_that_is_not_positive_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout must be positive"):
        McpTools(server(), timeout=timeout)


def test_a_command_line_is_no_address() -> None:
    with pytest.raises(ValueError, match=r"got 'python server\.py': for a program write Stdio"):
        McpTools("python server.py")
    wrong: Any = 5
    with pytest.raises(TypeError, match="prefix must be a str, got int 5"):
        McpTools(server(), prefix=wrong)


def test_a_missing_package_names_the_install_line() -> None:
    program = (
        "import sys\n"
        "import toolgrammar.engine\n"
        "from toolgrammar.engine.mcp import McpTools\n"
        "print([name for name in ('mcp', 'redis', 'opentelemetry') if name in sys.modules])\n"
        "sys.modules['mcp'] = None\n"
        "try:\n"
        "    McpTools('http://localhost')\n"
        "except ImportError as problem:\n"
        "    print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("[]\n")
    assert "pip install 'toolgrammar[mcp]'" in done.stdout


def wait_for(path: Path) -> str:
    """Waits until another process has written a file, and gives what it holds."""
    for _ in range(600):
        if path.exists():
            return path.read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError(f"{path.name} was not written")


def test_an_answer_that_comes_as_a_step_of_the_wait_ends_is_not_lost() -> None:
    class Late(Future[str]):
        def result(self, timeout: float | None = None) -> str:
            if not self.done():
                # The wait is over, and only then the answer comes.
                self.set_result("rain")
                raise TimeoutError
            return super().result(timeout)

    context = ToolContext(ToolCall("weather"))
    assert _awaited(Late(), context) == "rain"
