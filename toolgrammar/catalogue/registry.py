"""Maps ids and aliases to formats: shipped ones, registered ones, and those of installed packages.

`formats["mine"]` is the format of `grammars/mine.lark`; `resolve_any("mine,yours")` joins two.
"""

from __future__ import annotations

import fnmatch
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar, overload

from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.catalogue.several import AUTO, AnyOf, joined_formats
from toolgrammar.grammar.files import file_stamp, grammar_files, grammar_folder
from toolgrammar.grammar.header import read_header, scan_headers
from toolgrammar.values.errors import LISTED, UnknownFormat, check_type
from toolgrammar.values.patterns import late

FormatLike: TypeAlias = str | os.PathLike[str] | Format
"""An id, an alias, a format, or a path to a `.lark` file."""

FormatsLike: TypeAlias = FormatLike | AnyOf | Sequence[FormatLike]
"""A format, several formats, or the word `auto` for all of them."""
_Default = TypeVar("_Default")
_KEPT = 64
"""The number of combinations of formats that are cached."""
_FILE_NAME = late(r"[a-z0-9][a-z0-9_-]*")

ENTRY_POINTS = "toolgrammar.formats"
"""The group of entry points with which installed packages add formats."""


class _Loaded(NamedTuple):
    """A format that was loaded by its path, and the state of its files at that time."""

    format: Format
    files: tuple[Path, ...]
    stamp: tuple[tuple[int, int], ...]


class Formats(Mapping[str, Format]):
    """All formats by id; aliases are accepted too. Thread-safe."""

    def __init__(self, folder: Path | None = None) -> None:
        """Sets the folder of the formats, by default the shipped ones; nothing is read yet."""
        self._folder = folder
        self._lock = threading.RLock()
        self._formats: dict[str, Format] = {}
        self._names: dict[str, str] = {}
        self._loaded: dict[str, _Loaded] = {}
        self._joined: dict[tuple[Format | AnyOf, ...], AnyOf] = {}
        self._auto: AnyOf | None = None
        self._scanned = False
        self._asked = False  # whether the entry points of packages were loaded

    def __getitem__(self, name: str) -> Format:
        """Returns the format with this id or alias.

        Raises:
            UnknownFormat: there is none; the message names similar ids.
        """
        found = self._find(name)
        if found is None:
            raise self._unknown(name)
        return found

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            self._ask_packages()
            return iter(sorted(self._formats))

    def __len__(self) -> int:
        with self._lock:
            self._ask_packages()
            return len(self._formats)

    # `Mapping.__contains__` expects a KeyError from `__getitem__`, which raises `UnknownFormat`.
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    @overload
    def get(self, name: str, default: None = None, /) -> Format | None: ...

    @overload
    def get(self, name: str, default: Format | _Default, /) -> Format | _Default: ...

    def get(self, name: object, default: object = None, /) -> object:
        """Returns the format with this id or alias; the default if there is none."""
        found = self._find(name) if isinstance(name, str) else None
        return default if found is None else found

    def __repr__(self) -> str:
        return f"<formats: {', '.join(self)}>"

    def for_model(self, name: str) -> Format:
        """Returns the format that a model uses; of all patterns that match, the longest decides.

        If none matches the whole name, the part after the owner is tried (`owner/model`).

        Raises:
            UnknownFormat: no format has a pattern for this model.
        """
        check_type("the name of a model", name, str)
        wanted = name.casefold()
        # Case is ignored: one model is named `Hermes-3` here and `hermes-3` there.
        patterns = [
            (pattern.casefold(), entry) for entry in self.values() for pattern in entry.models
        ]
        own = [(_own_name(pattern), entry) for pattern, entry in patterns]
        fitting = _fitting(wanted, patterns) or _fitting(_own_name(wanted), own)
        if fitting is not None:
            return fitting
        nearest = _nearest(wanted, [pattern for pattern, _ in patterns])
        raise UnknownFormat(
            f"no format names the model {name!r}{_said('nearest patterns', nearest)}; "
            "pass format=… instead"
        )

    def search(self, words: str) -> list[Format]:
        """Returns the formats whose id, title, family, aliases or models contain every word.

        Raises:
            TypeError: the words are not one text.
        """
        check_type("words", words, str, 'write search("qwen xml")')
        wanted = words.casefold().split()
        return [entry for entry in self.values() if all(word in _about(entry) for word in wanted)]

    def register(self, format: FormatLike) -> Format:
        """Adds a format, or the format of a grammar file, and returns it.

        Registering a file again replaces the format that it gave before.

        Raises:
            GrammarError: the grammar is broken.
            ValueError: another format has the id or an alias.
        """
        check_type("format", format, (Format, str, os.PathLike), "the path of a .lark file, say")
        added = format if isinstance(format, Format) else load_format(format)
        with self._lock:
            self._scan()
            self._add(added)
        return added

    def resolve(self, format: FormatLike) -> Format:
        """Returns the format that a caller means.

        Args:
            format: an id, an alias, a format, a path object, or a string that ends in `.lark`.

        Raises:
            UnknownFormat: no format has this id or alias.
            GrammarError: the grammar file is broken.
            TypeError: the argument has another type.
        """
        if isinstance(format, Format):
            return format
        if isinstance(format, str):
            found = self._formats.get(format)  # the common case: no lock is taken
            if found is not None:
                return found
            return self._load(format) if format.endswith(".lark") else self[format]
        if isinstance(format, os.PathLike):
            return self._load(format)
        raise TypeError(
            "format must be an id, an alias, a Format, the path of a .lark file or, where all are "
            f"meant, 'auto', got {_kind(format)}"
        )

    def resolve_any(self, format: FormatsLike) -> Format | AnyOf:
        """Returns the format that a caller means, or several formats that are read at once.

        Args:
            format: an argument of `resolve`, a result of `any_of`, a sequence of these, ids and
                paths separated by commas, or `auto`.

        Raises:
            UnknownFormat: no format has this id or alias.
            GrammarError: the grammar file is broken.
            TypeError: the argument has another type.
            ValueError: the sequence is empty.
        """
        if isinstance(format, str):
            found = self._formats.get(format)  # the common case: no lock is taken
            if found is not None:
                return found
            if format == AUTO:
                return self._all()
            if "," in format and not (format.endswith(".lark") and Path(format).is_file()):
                return self.any_of(*(part.strip() for part in format.split(",")))
        elif isinstance(format, Format):
            return format
        elif isinstance(format, Sequence):
            return self.any_of(*format)
        elif isinstance(format, AnyOf):
            return format
        return self.resolve(format)

    def any_of(self, *formats: FormatLike | AnyOf) -> AnyOf:
        """Returns several formats joined, to be read at once: see `AnyOf` for which is preferred.

        With `auto` among them all formats are read, with its caution.

        Raises:
            UnknownFormat: no format has this id or alias.
            GrammarError: a grammar file is broken.
            TypeError: an argument does not denote a format.
            ValueError: there are no arguments.
        """
        key = tuple(self.resolve_any(each) for each in formats)
        joined = self._joined.get(key)
        if joined is None:
            if len(self._joined) >= _KEPT:  # no lock: at worst a combination is made twice
                self._joined.clear()
            joined = self._joined[key] = joined_formats(key)
        return joined

    def _all(self) -> AnyOf:
        found = self._auto
        if found is None:
            with self._lock:
                self._ask_packages()
                # Sorted for the digest; the order of reading is `_rank` in `parsing/readers.py`.
                found = self._auto = AnyOf(
                    (self._formats[name] for name in sorted(self._formats)), AUTO
                )
        return found

    def _load(self, path: str | os.PathLike[str]) -> Format:
        """Returns the format of a file, which is compiled again only if the file has changed."""
        key = str(Path(path).absolute())
        with self._lock:
            known = self._loaded.get(key)
        if known is not None and known.stamp == file_stamp(known.files):
            return known.format
        # The stamp is taken first, so that a change made during compilation is seen next time.
        files = tuple(file for _, file in grammar_files(Path(path)))
        stamp = file_stamp(files)
        loaded = load_format(path)
        with self._lock:
            self._loaded[key] = _Loaded(loaded, files, stamp)
        return loaded

    def _find(self, name: str) -> Format | None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a format is a str, got {_kind(name)}")
        with self._lock:
            found = self._look_up(name) or self._of_file(name)
            if found is not None:
                return found
            self._scan()
            found = self._look_up(name)
            if found is None and not self._asked:
                self._ask_packages()  # slow, so only for names that were not found
                found = self._look_up(name)
            return found

    def _look_up(self, name: str) -> Format | None:
        if name in self._formats:
            return self._formats[name]
        format_id = self._names.get(_normal(name))
        return None if format_id is None else self._formats[format_id]

    def _of_file(self, name: str) -> Format | None:
        """Returns the format whose file has this name, without reading the headers of the others."""
        if self._scanned or not _FILE_NAME.fullmatch(name):
            return None
        path = (self._folder or grammar_folder()) / f"{name}.lark"
        if not path.is_file():
            return None
        header = read_header(path)
        # A library of rules has a file too, but no id.
        if not header.id:
            return None
        self._add(Format(path, header))
        return self._formats[header.id]

    def _scan(self) -> None:
        if self._scanned:
            return
        for path, header in scan_headers(self._folder or grammar_folder()):
            # It may have been added by `_of_file` before.
            if header.id not in self._formats:
                self._add(Format(path, header))
        self._scanned = True

    def _add(self, added: Format) -> None:
        names = {_normal(name) for name in (added.id, *added.aliases)}
        for name in names:
            owner = self._names.get(name)
            taken = None if owner is None else self._formats[owner]
            if taken is not None and taken.path != added.path:
                raise ValueError(
                    f"the name {name!r} of {added.path} is taken by {taken.id!r} ({taken.path})"
                )
        # A format that is registered again may have lost an alias.
        self._names = {name: owner for name, owner in self._names.items() if owner != added.id}
        self._formats[added.id] = added
        self._auto = None  # what `auto` means has changed
        self._names.update(dict.fromkeys(names, added.id))

    def _ask_packages(self) -> None:
        """Adds the formats of installed packages, once; a broken one is skipped with a warning."""
        self._scan()
        if self._asked:
            return
        self._asked = True
        from importlib.metadata import entry_points

        for point in entry_points(group=ENTRY_POINTS):
            # A foreign package may raise anything, which must not affect other formats.
            try:
                for found in _brought(point.load()):
                    self._add(found)
            except Exception as error:
                warnings.warn(
                    f"the entry point {point.name!r} of {ENTRY_POINTS} is left out: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def _unknown(self, name: str) -> UnknownFormat:
        # These names are valid for `resolve_any`, but not where a single format is needed.
        if name == AUTO or "," in name:
            return UnknownFormat(f"{name!r} means several formats at once; name one of them here")
        with self._lock:
            names = [*self._formats, *self._names]
        # Similar aliases are shown as the ids of their formats.
        by_id = {owner: owner for owner in self._formats} | self._names
        nearest = list(dict.fromkeys(by_id[near] for near in _nearest(_normal(name), names)))
        return UnknownFormat(f"unknown format {name!r}{_said('nearest', nearest)}. {LISTED}")


def _brought(loaded: object) -> Iterator[Format]:
    """Yields the formats of an entry point: a format, a path, an iterable, or a function of these."""
    if isinstance(loaded, Format):
        yield loaded
    elif isinstance(loaded, str | os.PathLike):
        path = Path(loaded)
        if path.is_dir():
            yield from (Format(file, header) for file, header in scan_headers(path))
        else:
            yield Format(path)
    elif isinstance(loaded, Callable):  # type: ignore[arg-type]
        yield from _brought(loaded())  # type: ignore[operator]
    elif isinstance(loaded, Iterable):
        for part in loaded:
            yield from _brought(part)
    else:
        raise TypeError(f"expected a Format, a path or several, got {_kind(loaded)}")


def _fitting(name: str, patterns: list[tuple[str, Format]]) -> Format | None:
    """Returns the format of the longest pattern that matches a name; None if no pattern does."""
    fitting = [
        (len(pattern), entry)
        for pattern, entry in patterns
        if pattern.strip("*?")
        and fnmatch.fnmatchcase(name, pattern)  # `*` alone would match any model
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def _own_name(model: str) -> str:
    """Returns the name of a model, or its pattern, without the owner."""
    return model.rpartition("/")[2]


def _about(entry: Format) -> str:
    return "\n".join(
        (entry.id, entry.title, entry.family, *entry.aliases, *entry.models)
    ).casefold()


def _normal(name: str) -> str:
    # `My-Format` and `my_format` are the same name.
    return name.casefold().replace("-", "_")


def _nearest(name: str, known: list[str]) -> list[str]:
    import difflib  # only needed for error messages

    return difflib.get_close_matches(name, known, 3, 0.5)


def _said(what: str, names: list[str]) -> str:
    return f"; {what}: {', '.join(repr(name) for name in names)}" if names else ""


def _kind(value: object) -> str:
    return type(value).__name__


formats = Formats()
"""The formats of this process."""
any_of = formats.any_of
