"""The examples say what they need."""

import subprocess
import sys

from tests.house.checkout import ROOT

_WITHOUT_PYDANTIC = """
import runpy, sys
sys.modules["pydantic"] = None
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_the_agent_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_PYDANTIC, str(ROOT / "examples" / "agent.py")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "agent.py: the engine needs pydantic: pip install 'toolgrammar[exec]'\n"
