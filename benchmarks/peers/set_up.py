"""Makes the environment of the peers: vLLM's and SGLang's own parsers, unpacked without GPU parts.

The wheels are unpacked without what they depend on; what their parsers import is installed beside
them, torch included: about 7 GB and a few minutes. The other readers of the league come from their
packages, each without what it depends on; one that can't be installed is left out. A step whose
result is there is skipped. The folder is `.venv-peers/` of the checkout, or what `TOOLGRAMMAR_PEERS` names.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))

from peers.places import folder, interpreter  # noqa: E402 - needs the path above

UNPACKED = {"vllm": "0.33.0", "sglang": "0.5.23"}
JSONREPAIR = "jsonrepair@3"
KEPT = (".py", ".json", ".jinja", "METADATA", ".txt", ".typed")
INSTALLED = """
aiohttp anthropic blake3 cachetools cbor2 cloudpickle cohere-melody compressed-tensors einops
fast-json-repair fastapi ijson jinja2 jiter json-repair jsonschema lark matplotlib mcp
mistral-common msgspec numpy openai orjson oss-harmony partial-json-parser pillow
prometheus-client psutil py-cpuinfo pybase64 pydantic python-json-logger pyzmq regex requests
sentencepiece setproctitle tiktoken torch transformers<5.24 xgrammar
""".split()  # noqa: SIM905 - a list one can read
"""What `vllm.tool_parsers`, `sglang.srt.function_call` and the suites import."""

OTHERS = {
    "agent-tool-parser": "0.1.3",
    "ai-dynamo-runtime": "1.2.1",
    "canitoolcall": "0.1.1",
    "lmdeploy": "0.18.0",
    "mlx-lm": "0.32.2",
    "qwen-agent": "0.0.34",
    "tensorrt-llm": "1.2.1",
}
"""The other readers of the league, and the suite that they are held against."""
OTHERS_IMPORT = ["json5", "mmengine-lite", "pyyaml", "shortuuid", "soundfile"]
"""What they and the league import, but for what is installed already."""


def unpack(name: str, version: str, place: Path) -> None:
    """Downloads one wheel and keeps the Python of it."""
    done = place / name / f".done-{version}"
    if done.exists():
        return
    say(f"{name} {version}: download and unpack")
    download = place / f"download-{name}"
    for folder_ in (place / name, download):
        shutil.rmtree(folder_, ignore_errors=True)
        folder_.mkdir(parents=True)
    pip("download", "--no-deps", "--dest", str(download), f"{name}=={version}")
    (wheel,) = download.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if member.endswith(KEPT):
                archive.extract(member, place / name)
    shutil.rmtree(download)
    done.touch()


def install(place: Path) -> None:
    """Installs what the unpacked parsers import."""
    mark = hashlib.sha256(" ".join(INSTALLED).encode()).hexdigest()[:12]
    done = place / f".installed-{mark}"
    if done.exists():
        return
    say("packages that the parsers import, torch among them: this takes minutes")
    pip("install", *INSTALLED)
    done.touch()


def install_others(place: Path) -> None:
    """Installs the other readers of the league, as far as they can be."""
    for name, version in OTHERS.items():
        done = place / f".tried-{name}-{version}"
        if done.exists():
            continue
        say(f"{name} {version}")
        try:
            pip("install", "--no-deps", "--only-binary", ":all:", f"{name}=={version}")
        except subprocess.CalledProcessError:
            say(f"{name} {version} can't be installed here: the league leaves it out")
        done.touch()
    pip("install", *OTHERS_IMPORT)


def install_node(place: Path) -> None:
    """Installs jsonrepair of npm, where npm is there."""
    npm = shutil.which("npm")
    if npm is None:
        say("npm is not there: jsonrepair is left out")
        return
    if (place / "node" / "node_modules" / "jsonrepair").exists():
        return
    (place / "node").mkdir(exist_ok=True)
    words = [npm, "install", "--silent", "--no-fund", "--no-audit", JSONREPAIR]
    subprocess.run(words, cwd=place / "node", check=True)


def pip(*words: str) -> None:
    """Runs pip in the environment of the peers; shows what it says where it fails."""
    command = [str(interpreter()), "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    subprocess.run(command, check=True)


def say(words: str) -> None:
    """Prints a line with the time since the start."""
    print(f"[{time.monotonic() - STARTED:4.0f} s] {words}", flush=True)


STARTED = time.monotonic()


def main() -> None:
    """Makes or completes the environment."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    place = folder()
    if not interpreter().exists():
        say(f"environment in {place}")
        venv.create(place / "environment", with_pip=True)
    for name, version in UNPACKED.items():
        unpack(name, version, place)
    install(place)
    install_others(place)
    install_node(place)
    say("done")


if __name__ == "__main__":
    main()
