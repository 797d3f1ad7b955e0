"""The callback in LiteLLM's own proxy, set up as docs/proxy.md says: `make litellm` installs it."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.house.checkout import ROOT
from tests.units.proxy.completions import CALL, EXPECTED, REQUEST
from tests.units.proxy.servers import Model, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("litellm", reason="make litellm installs it")
pytest.importorskip("litellm.proxy.proxy_server", reason="make litellm installs it")

PATIENCE = 120.0
KEY = f"sk-{secrets.token_hex(32)}"
"""Of this run alone: the proxy does not start without one."""
FENCE = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODEL = Model(f"On it.\n{CALL}", size=4)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Runs the proxy with the files that the page shows; gives its address."""
    folder = tmp_path_factory.mktemp("litellm")
    page = (ROOT / "docs" / "proxy.md").read_text(encoding="utf-8")
    with serving(MODEL.app()) as upstream:
        for _, name, text in FENCE.findall(page):
            (folder / name).write_text(
                text.replace("http://127.0.0.1:8000", upstream), encoding="utf-8"
            )
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", "config.yaml"]
        command += ["--host", "127.0.0.1", "--port", str(port)]
        log = folder / "log.txt"
        with log.open("w", encoding="utf-8") as out:
            own = {"NO_PROXY": "*", "LITELLM_MASTER_KEY": KEY}
            server = subprocess.Popen(
                command, cwd=folder, stdout=out, stderr=out, env={**os.environ, **own}
            )
            try:
                address = f"http://127.0.0.1:{port}"
                _wait(address, server, log)
                yield address
            finally:
                server.terminate()
                server.wait(PATIENCE)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text(encoding="utf-8")[-2000:]
        try:
            if httpx.get(f"{address}/health/liveliness").status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(log.read_text(encoding="utf-8")[-2000:])


def _ask(address: str, model: str, **more: Any) -> httpx.Response:
    body = {**REQUEST, "model": model, **more}
    headers = {"authorization": f"Bearer {KEY}"}
    return httpx.post(
        f"{address}/v1/chat/completions", json=body, headers=headers, timeout=PATIENCE
    )


def _calls(found: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    functions = [call["function"] for call in found]
    return [(each["name"], json.loads(each["arguments"])) for each in functions]


@pytest.mark.parametrize("model", ["my-model", "my-base-model"])
def test_a_whole_answer_has_its_calls(proxy: str, model: str) -> None:
    answer = _ask(proxy, model).json()
    choice = answer["choices"][0]
    assert _calls(choice["message"]["tool_calls"]) == EXPECTED
    assert choice["message"]["content"] == "On it."
    assert choice["finish_reason"] == "tool_calls"
    # With `prompt=True` the tools stand in the prompt, and the server sees none.
    assert ("tools" in MODEL.requests[-1]) is (model == "my-model")
    assert "toolgrammar_request" not in json.dumps(MODEL.requests[-1])


@pytest.mark.parametrize("model", ["my-model", "my-base-model"])
def test_a_stream_has_its_calls(proxy: str, model: str) -> None:
    lines = _ask(proxy, model, stream=True).text.splitlines()
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    found = [call for each in choices for call in each["delta"].get("tool_calls") or ()]
    assert _calls(found) == EXPECTED
    text = "".join(each["delta"].get("content") or "" for each in choices)
    assert text.strip() == "On it."
    assert [each["finish_reason"] for each in choices if each.get("finish_reason")] == [
        "tool_calls"
    ]
    assert ("tools" in MODEL.requests[-1]) is (model == "my-model")
