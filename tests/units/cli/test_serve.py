"""The command `serve`, as a process, asked as its page says."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.house.checkout import ROOT
from tests.units.proxy.completions import CALL, REQUEST
from tests.units.proxy.servers import PATIENCE, Model, get, post, serving
from toolgrammar.cli.main import main
from toolgrammar.proxy.upstream import without_keys

if TYPE_CHECKING:
    from pathlib import Path


def test_the_command_of_the_page_serves_until_it_is_interrupted() -> None:
    page = (ROOT / "docs" / "proxy.md").read_text(encoding="utf-8")
    found = re.search(r"^toolgrammar (serve .*)$", page, re.MULTILINE)
    assert found is not None
    with serving(Model(CALL).app()) as upstream:
        words = found[1].replace("http://127.0.0.1:8000", upstream).split()
        command = [sys.executable, "-m", "toolgrammar", *words, "--port", "0"]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(command, **pipes) as process:
            try:
                assert process.stdout is not None
                begun = [process.stdout.readline() for _ in range(2)]
                # It listens before it says so: no need to wait.
                [address] = re.findall(r"serves (http://127\.0\.0\.1:\d+)/v1 from", begun[0])
                alive = get(f"{address}/health")
                answer = post(f"{address}/v1/chat/completions?key=sk-secret", json=REQUEST)
            finally:
                process.terminate()
                _, said = process.communicate(timeout=PATIENCE)
    [told] = re.findall(r"^```text\n(toolgrammar serves .*?)^```$", page, re.MULTILINE | re.DOTALL)
    told = told.replace("http://127.0.0.1:8000", upstream)
    assert "".join(begun) == told.replace("http://127.0.0.1:8800", address)
    assert alive.json() == {"status": "ok"}
    assert answer.json()["choices"][0]["finish_reason"] == "tool_calls"
    assert "/v1/chat/completions" in said
    assert "sk-secret" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--upstream", "x", "--format", "hermes"], "upstream must be"),
        (["--upstream", "http://x", "--format", "no_such_format"], "no_such_format"),
        (["--upstream", "http://x"], "--format"),
        (["--upstream", "http://x", "--formats", "missing.toml"], "missing.toml"),
        (
            ["--upstream", "http://x", "--format", "hermes", "--timeout", "0"],
            "timeout must be above 0",
        ),
        (["--upstream", "http://x", "--format", "hermes", "--port", "99999"], "0 to 65535"),
    ],
)
def test_a_mistake_is_told_before_anything_is_served(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["serve", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--upstream", "http://x", "--format", "hermes", "--port", port]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    [line] = said.err.splitlines()
    assert (
        line
        == f"toolgrammar: error: port {port} is taken by another program; choose one with --port"
    )


def test_a_host_of_another_machine_is_told_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--upstream", "http://x", "--format", "hermes", "--host", "192.0.2.1"]
    assert main(["serve", *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "can't listen at 192.0.2.1, port 8800: " in line


def test_keys_in_the_address_of_the_upstream_are_not_shown() -> None:
    assert without_keys("http://me:sk-1@host:8000/v1?key=sk-2") == "http://host:8000/v1"
