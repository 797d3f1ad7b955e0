"""Lets the unpacked peers be imported: finds them, and stands in for what their parsers never call."""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import logging
import os
import sys
import types
from typing import Any

from peers.places import folder

_NEVER_CALLED = ("uvloop", "IPython")


class _AnythingMeta(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class Anything(metaclass=_AnythingMeta):
    """Can be called, subclassed and asked for any attribute."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class _Empty(types.ModuleType):
    __path__: list[str] = []  # noqa: RUF012 - as the import system wants it

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands last: only what no other finder knows is stood in for."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname.split(".", maxsplit=1)[0] in _NEVER_CALLED:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        return _Empty(spec.name)

    def exec_module(self, module: Any) -> None:
        pass


def enter() -> None:
    """Makes the peers importable and quiet; to be called once, before the first import."""
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")
    os.environ.setdefault("VLLM_CONFIGURE_LOGGING", "0")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging.disable(logging.CRITICAL)  # both write a traceback for each message they can't read
    sys.meta_path.append(_Finder())
    sys.path += [str(folder() / "vllm"), str(folder() / "sglang")]


def settle() -> None:
    """What is loaded by now is no longer scanned by the collector, as in vLLM's server."""
    gc.collect()
    gc.freeze()
