"""The names of the engine, what importing them costs, and the mistakes of callers."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest

import toolgrammar.engine
from tests.units.engine.driving import call, without_addresses
from toolgrammar import ToolCall
from toolgrammar.engine import (
    Approval,
    Engine,
    Retry,
    RetryableError,
    Tool,
    ToolError,
    ToolFailed,
    ToolResult,
)


def tool() -> None:
    """Does nothing."""


@pytest.mark.parametrize("name", toolgrammar.engine.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(toolgrammar.engine, name) is not None
    assert name in dir(toolgrammar.engine)


def test_unknown_name_says_so() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(toolgrammar.engine, "no_such_name")  # noqa: B009


def _loaded(statements: str) -> set[str]:
    script = f"{statements}\nimport sys\nprint(*sorted({{n.split('.')[0] for n in sys.modules}}))"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    return set(run.stdout.split())


def test_import_is_light() -> None:
    extras = {
        "pydantic",
        "mcp",
        "redis",
        "opentelemetry",
        "openai",
        "anthropic",
        "rich",
    }
    assert not _loaded("import toolgrammar.engine") & extras
    use = "from toolgrammar import ToolCall, engine; [getattr(engine, n) for n in engine.__all__]"
    run = "def f(x: int): pass\nengine.Engine([f]).run_sync(ToolCall('f', {'x': '1'}))"
    assert not _loaded(f"{use}\n{run}") & (extras - {"pydantic"})


NONE_IN_MODULES = "sys.modules[{package!r}] = None"
"""What an import of a missing package finds."""
GUARD = """
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Guard())
"""


@pytest.mark.parametrize("hidden", [NONE_IN_MODULES, GUARD])
def test_missing_extra_says_what_to_install(hidden: str) -> None:
    script = f"""
import sys
{hidden.format(package="pydantic")}
from toolgrammar.engine import Engine
try:
    Engine([lambda: None])
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    assert "pip install 'toolgrammar[exec]'" in done.stdout


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"tools": [tool, tool]}, ValueError, "two tools are named 'tool'"),
        ({"concurrency": 0}, ValueError, "concurrency must be at least 1 or None, got 0"),
        ({"timeout": 0}, ValueError, "timeout must be positive or None, got 0"),
        ({"timeout": -1}, ValueError, "timeout must be positive or None, got -1"),
        ({"timeout": float("nan")}, ValueError, "timeout must be positive or None, got nan"),
        ({"retries": -1}, ValueError, "retries must not be negative, got -1"),
        ({"on_failure": "stop"}, ValueError, "on_failure must be 'skip' or 'continue', got 'stop'"),
        ({"max_result_chars": -1}, ValueError, "max_result_chars must be at least 0 or None, got"),
        ({"concurrency": "8"}, TypeError, "concurrency must be a whole number or None, got '8'"),
        ({"concurrency": True}, TypeError, "concurrency must be a whole number or None, got True"),
        ({"timeout": "8"}, TypeError, "timeout must be seconds or None, got '8'"),
        ({"retries": None}, TypeError, "retries must be a number or a Retry, got None"),
        ({"tools": tool}, TypeError, "tools must be a list of tools, got <function tool"),
        ({"tools": Tool(tool)}, TypeError, "tools must be a list of tools, got Tool('tool')"),
        ({"tools": "tool"}, TypeError, "tools must be a list of tools, got 'tool'"),
        ({"approval": True}, TypeError, "a guardrail or approval hook is called, got True"),
        ({"input_guardrails": tool}, TypeError, "guardrails must be a list of functions, got"),
        ({"output_guardrails": [3]}, TypeError, "a guardrail or approval hook is called, got 3"),
        ({"cache": 3}, TypeError, "a cache has the methods get and set; got 3"),
        ({"trace": 3}, TypeError, "trace must be a TraceSink or several, got 3"),
        ({"trace": "a.jsonl"}, TypeError, "trace must be a TraceSink or several, got 'a.jsonl'"),
        ({"trace": [print]}, TypeError, "a TraceSink has a method emit(name, payload); got <built"),
    ],
    ids=without_addresses,
)
def test_mistakes_raise_at_once(settings: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as caught:
        Engine(**{"tools": [tool], **settings})
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"retries": -1}, {"cache_ttl": 0}], ids=repr)
def test_mistakes_of_tools_raise_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Tool(tool, **wrong)


@pytest.mark.parametrize("wrong", [None, "tool", {"name": "tool"}, [ToolCall("tool")]], ids=repr)
def test_what_is_no_call_is_a_mistake(wrong: Any) -> None:
    import asyncio

    engine = Engine([tool])
    said = rf"^expected a toolgrammar\.ToolCall, got {type(wrong).__name__}$"
    with pytest.raises(TypeError, match=said):
        engine.run_sync(wrong)
    with pytest.raises(TypeError, match=said):
        asyncio.run(engine.run_async(wrong))
    with pytest.raises(TypeError, match=said):
        engine.run_all_sync([ToolCall("tool"), wrong])
    with pytest.raises(TypeError, match=said):
        asyncio.run(engine.run_all_async([wrong]))
    with pytest.raises(TypeError, match=r"^expected a ParseResult or calls, got ToolCall"):
        engine.run_all_sync(ToolCall("tool"))  # type: ignore[arg-type]


def test_what_is_no_policy_is_a_mistake() -> None:
    wrong: Any = "strict"
    with pytest.raises(TypeError, match="policy must be a SalvagePolicy or None, got str"):
        Engine([tool], policy=wrong)


def test_tools_are_read_only() -> None:
    engine = Engine([tool])
    assert list(engine.tools) == ["tool"]
    with pytest.raises(TypeError):
        engine.tools["other"] = Tool(tool)  # type: ignore[index]


def test_values_are_frozen_and_pickle() -> None:
    values: list[Any] = [
        ToolError("code", "text"),
        ToolResult(call("tool", x=[1]), value={"a": 1}, attempts=1),
        Retry(3, initial=1.0),
        Approval(approved=True, digest="d"),
    ]
    for value in values:
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, None)
    error = pickle.loads(pickle.dumps(RetryableError("busy", retry_after=3)))
    assert (str(error), error.retry_after) == ("busy", 3)
    failed = ToolFailed(ToolResult(call("tool"), error=ToolError("a", "b")))
    assert pickle.loads(pickle.dumps(failed)).result == failed.result
    assert str(ToolError("a", "b")) == "a:b"
