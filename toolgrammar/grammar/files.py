"""Finds, reads and writes files: grammars, compiled tables, the cache; no other module does I/O.

Example: `%import .common.json (TEXT)` imports the shipped `common/json.lark`, or else the one in
the folder of the importing file.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import stat
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable
    from hashlib import sha256
else:
    # hashlib loads OpenSSL, which takes longer than a first message; the interpreter has its own.
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

CACHE_VARIABLE = "TOOLGRAMMAR_CACHE"
"""The environment variable that names the cache folder."""

_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = late(r"^[ \t]*%import[ \t]+\.([\w.]+)[ \t]*(\()?", re.MULTILINE)
# No slash, and no dot in front: a name can't lead out of the folder.
_CACHE_NAME = late(r"[\w-][\w.-]*")


def grammar_folder() -> Path:
    """Returns the folder of the shipped grammars.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    # A wheel contains the grammars inside the package; a checkout, editable or not, beside it.
    for folder in (_PACKAGE / "grammars", _PACKAGE.parent / "grammars"):
        # The first that exists is used.
        if folder.is_dir():
            return folder
    unpacked = _unpacked()
    if unpacked is not None and (unpacked / "grammars").is_dir():
        return unpacked / "grammars"
    raise FileNotFoundError(f"no grammars in or beside {_PACKAGE}; install toolgrammar again")


def tables_folder() -> Path | None:
    """Returns the folder of the tables in a wheel, or None in a checkout."""
    folder = (_unpacked() or _PACKAGE) / "tables"
    return folder if folder.is_dir() else None


def _archive() -> Path | None:
    """Returns the zip archive from which Python imports the package; None if it is in a folder."""
    return next((path for path in _PACKAGE.parents if path.is_file()), None)


@cache
def _unpacked() -> Path | None:
    """Returns a folder with the grammars and the tables of a package in a zip archive, else None.

    Spark hands a wheel to its workers as an archive. What is unpacked is kept in the cache folder
    under a name that its content determines, and without a cache only while the process runs.

    Raises:
        OSError: there is no place to unpack to.
    """
    archive = _archive()
    if archive is None:
        return None
    # Imported here: only a package in an archive needs these.
    import atexit
    import shutil
    import tempfile
    from zipfile import ZipFile

    inside = _PACKAGE.relative_to(archive).as_posix()
    with ZipFile(archive) as opened:
        parts = [
            each
            for each in opened.infolist()
            if each.filename.startswith((f"{inside}/grammars/", f"{inside}/tables/"))
        ]
        content = repr(sorted((each.filename, each.CRC, each.file_size) for each in parts))
        kept = cache_folder()
        folder = None if kept is None else kept / f"unpacked-{hex_digest(content.encode())[:32]}"
        if folder is not None and folder.is_dir():
            return folder / inside
        target = Path(tempfile.mkdtemp(prefix=".unpacked-", dir=kept))
        opened.extractall(target, parts)
    if folder is None:
        atexit.register(shutil.rmtree, target, ignore_errors=True)
        return target / inside
    try:
        target.replace(folder)  # Other processes find all of it or nothing.
    except OSError:
        # Another process was sooner.
        shutil.rmtree(target, ignore_errors=True)
    return folder / inside


def grammar_paths(folder: Path) -> list[Path]:
    """Returns the grammar files directly in a folder, sorted by name."""
    return sorted(folder.glob("*.lark"))


def read_text(path: str | os.PathLike[str]) -> str:
    """Returns the text of a UTF-8 file, with LF line ends and without a byte order mark."""
    return _lf_bytes(Path(path)).decode("utf-8")


def read_text_if_there(path: str | os.PathLike[str]) -> str:
    """Returns the text of a file, or "" if there is none; a file in an archive is none."""
    try:
        return read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""


def read_import(base: str | None, name: str) -> tuple[str, str]:
    """Returns the path and the text of a file that a grammar imports: a loader for Lark.

    Args:
        base: the folder of the importing file; None for an import that is not relative.
        name: the path in the import.

    Raises:
        FileNotFoundError: there is no such file.
    """
    # The shipped files first, as in `imported_file`: digest and compiler must read the same files.
    for folder in (grammar_folder(), Path(base)) if base is not None else ():
        file = folder / name
        if file.is_file():
            return str(file), read_text(file)
    raise FileNotFoundError(name)


def grammar_files(path: Path) -> list[tuple[str, Path]]:
    """Returns the grammar and the files it imports, each with its module name.

    The grammar itself comes first and has no name; the imported ones follow, sorted by name.
    An import that leads nowhere is omitted: compiling the grammar reports it better.
    """
    return [(name, file) for name, file, _ in _grammar_contents(path)]


def _grammar_contents(path: Path) -> list[tuple[str, Path, bytes]]:
    """Returns what `grammar_files` does, each with its content, which is read once."""
    found: dict[str, Path] = {}
    pending = [path]
    contents: dict[Path, bytes] = {}
    while pending:
        current = pending.pop()
        # Files may import each other; compiling reports it.
        if current in contents:
            continue
        contents[current] = _lf_bytes(current)
        for match in _IMPORT.finditer(contents[current].decode("utf-8", "replace")):
            imported = imported_file(current.parent, match[1], names_follow=bool(match[2]))
            if imported is not None:
                name = os.path.relpath(imported, path.parent)
                found[_module_name(imported, name)] = imported
                pending.append(imported)
    imports = [(name, found[name]) for name in sorted(found) if found[name] != path]
    return [(name, file, contents[file]) for name, file in (("", path), *imports)]


def hex_digest(data: bytes) -> str:
    """Returns the SHA-256 of bytes, in hex."""
    return sha256(data).hexdigest()


def digest_of(path: Path) -> str:
    """Returns the SHA-256, in hex, of a grammar and all that it imports.

    Line ends and the location of the files do not count: a grammar has the same digest everywhere.
    """
    digest = sha256()
    for name, _, content in _grammar_contents(path):
        # With the length, two different lists of files can't give the same bytes.
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def compiler_stamp() -> str:
    """Returns a text that changes whenever the compiler does, so that old caches are not read.

    It is made of the times and sizes of the compiler's files, as Python tells whether bytecode is
    stale: reading them takes a tenth of a first parse.
    """
    # The two packages that determine the content of the tables.
    paths = [path for name in ("grammar", "patterns") for path in (_PACKAGE / name).rglob("*.py")]
    if not paths and (archive := _archive()) is not None:
        paths = [archive]
    # Sorted: the order in which a disk lists files differs between machines.
    return hex_digest(repr(file_stamp(sorted(paths))).encode())[:12]


def file_stamp(paths: Iterable[Path]) -> tuple[tuple[int, int], ...]:
    """Returns a value that changes when one of the files is written: their times and sizes.

    A file that does not exist has size -1.
    """
    stamp: list[tuple[int, int]] = []
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            # Removing a file is a change as well.
            stamp.append((0, -1))
        else:
            stamp.append((state.st_mtime_ns, state.st_size))
    return tuple(stamp)


def cache_folder() -> Path | None:
    """Returns this user's cache folder, or None if there is no safe one.

    It is created with mode 0700. On POSIX a folder of another user, or one that others may write
    to, is refused: they could change what is read from it.
    """
    try:
        folder = _cache_path()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except (OSError, RuntimeError):
        return None
    if sys.platform == "win32":
        return folder
    # Tables define what is read as a call: whoever writes them controls that.
    foreign = state.st_uid != os.getuid()
    writable = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    # Without a safe folder, tables are compiled in each process.
    return None if foreign or writable else folder


def shipped_tables(format_id: str) -> str | None:
    """Returns the text of a format's tables in the wheel, or None if there are none."""
    shipped = tables_folder()
    return None if shipped is None else read_text_if_there(shipped / f"{format_id}.json")


def read_cache(name: str) -> str | None:
    """Returns the text of an entry of the cache, or None."""
    path = _cache_file(name)
    if path is None:
        return None
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError):
        return None


def write_cache(name: str, text: str) -> bool:
    """Writes an entry of the cache atomically; returns whether it was written."""
    path = _cache_file(name)
    if path is None:
        return False
    temporary: str | None = None
    try:
        import tempfile  # imported here: only this rare path needs it

        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        # Other processes read the old file or the new one, never half of it.
        Path(temporary).replace(path)
    except OSError:
        # A full disk or a lost race costs time at the next start, but changes no result.
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        return False
    return True


def _lf_bytes(path: Path) -> bytes:
    """Returns the bytes of a file with LF line ends and without a byte order mark."""
    return path.read_bytes().removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")


def imported_file(folder: Path, dotted: str, *, names_follow: bool) -> Path | None:
    """Returns the file of a relative import in a folder, or None if there is none.

    `%import .common.json (TEXT)` imports common/json.lark; `%import .common.json.TEXT` too.
    """
    parts = dotted.split(".")
    # The last part is a name in the file.
    if not names_follow:
        parts = parts[:-1]
    if not all(parts):
        return None
    # Lark's own order when the shipped folder is its import path.
    for base in (grammar_folder(), folder):
        file = base.joinpath(*parts).with_suffix(".lark")
        if file.is_file():
            return file
    return None


def _module_name(file: Path, relative: str) -> str:
    """Returns a name for an imported file that is independent of where the checkout is."""
    shipped = grammar_folder()
    if file.is_relative_to(shipped):
        return file.relative_to(shipped).as_posix()
    return Path(relative).as_posix()


def _cache_path() -> Path:
    """Returns the path of this user's cache by the convention of the platform."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        base = Path(local) if local else Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        chosen = os.environ.get("XDG_CACHE_HOME", "")
        # The XDG specification: a relative path is invalid and must be ignored.
        base = Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache"
    return base / "toolgrammar"


def _cache_file(name: str) -> Path | None:
    """Returns the path of an entry of the cache, or None if there is no cache."""
    if not _CACHE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for the cache; use letters, digits, `_`, `-`, `.`")
    folder = cache_folder()
    return None if folder is None else folder / name
