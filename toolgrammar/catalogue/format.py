r"""Defines `Format`: one grammar file with its page, its compiled tables and its renderer.

For a format whose calls are JSON in tags, `render([ToolCall("now")])` returns
`<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
from toolgrammar.grammar import stored
from toolgrammar.grammar.files import digest_of, read_text, read_text_if_there
from toolgrammar.grammar.header import Header, read_header
from toolgrammar.grammar.header_values import header_error
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError, check_type

if TYPE_CHECKING:
    from lark import Token, Tree  # noqa: TID251 - a type only; nothing is imported at run time

    from toolgrammar.grammar.tables import Tables
    from toolgrammar.writing.prompts.prompt import Prompt
    from toolgrammar.writing.results.render_results import Answer, OnMarkup
    from toolgrammar.writing.turns import Conversation


class Format:
    """One wire format. All methods are thread-safe, also on first use."""

    def __init__(self, path: str | os.PathLike[str], header: Header | None = None) -> None:
        """Reads the header of a grammar file; the grammar is compiled on first use.

        Args:
            path: the grammar file.
            header: the header of the file, if it was already read.

        Raises:
            GrammarError: the header is wrong or has no id.
        """
        self.path = Path(path).absolute()
        """The grammar file."""
        self.header = read_header(self.path) if header is None else header
        """The metadata at the top of the grammar file."""
        # A file without an id is a library of rules that other grammars import.
        if not self.header.id:
            message = "there is no id, so this file is a library and no format"
            hint = f"a format needs `//@ id: {self.path.stem}` on its first line"
            raise header_error(self.path, 1, 1, message, hint)
        self._lock = threading.Lock()
        self._digest: str | None = None
        self._tables: Tables | None = None

    @property
    def id(self) -> str:
        """The id, which is also the name of the grammar file."""
        return self.header.id

    @property
    def title(self) -> str:
        """The human-readable name."""
        return self.header.title

    @property
    def family(self) -> str:
        """The name of the group of similar formats; "" if the header names none."""
        return self.header.family

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the format."""
        return self.header.aliases

    @property
    def models(self) -> tuple[str, ...]:
        """Patterns for the names of the models that use it."""
        return self.header.models

    @property
    def stop(self) -> tuple[str, ...]:
        """The strings at which a server should stop generating."""
        return self.header.stop

    @property
    def grammar(self) -> str:
        """The text of the grammar file."""
        return read_text(self.path)

    @property
    def page(self) -> str:
        """The Markdown text of the page beside the grammar; "" if there is no page."""
        return read_text_if_there(self.page_path)

    @property
    def page_path(self) -> Path:
        """The path of the page beside the grammar file, whether the file exists or not."""
        return self.path.with_suffix(".md")

    @property
    def digest(self) -> str:
        """The SHA-256, in hex, of the grammar and everything that it imports."""
        # No lock: two threads would compute the same value.
        if self._digest is None:
            self._digest = digest_of(self.path)
        return self._digest

    @property
    def tables(self) -> Tables:
        """The compiled grammar, loaded or compiled on first use.

        Raises:
            GrammarError: the grammar is broken.
        """
        # The lock is only taken on first use.
        if self._tables is None:
            with self._lock:
                # Another thread may have compiled them while this one waited.
                if self._tables is None:
                    # Computed again, in case the file was edited: tables are cached by digest.
                    self._digest = digest_of(self.path)
                    self._tables = stored.load(self.path, self._digest)
        return self._tables

    @cached_property
    def plain(self) -> ShortcutRules | None:
        """The rules of the shortcut for its messages; None if a call's end may change the call."""
        # Imported here, since listing the formats needs no machine.
        from toolgrammar.core.machine.caches import machine_for

        header, tables = self.header, self.tables
        # In these formats a call may change at its end: an argument becomes its id, or is copied
        # from the call before, or the call becomes text.
        if (
            header.roles
            or header.carry
            or header.doubled
            or header.decides_at_end
            or tables.free_text
        ):
            return None
        # Openers with the names of tools in them need a machine for each set of tools.
        machine = None if tables.names_tools else machine_for(tables, ())
        return ShortcutRules(header, self.digest, tables.reasoning_tags, machine)

    def render(
        self, calls: Iterable[ToolCall], text: str = "", *, tools: Iterable[object] | None = None
    ) -> str:
        """Returns the wire text of calls, with a text before them.

        Args:
            calls: the calls.
            text: the text before them.
            tools: all tools of the conversation, of any shape: the message is read back with them.
                Without them a text that would be a call of any tool is refused, and values whose
                types the wire does not have come back as text if they are read without tools.

        Raises:
            RenderError: the format can't carry one of the values, or the text.
            TypeError: `calls` holds something else, or `text` is no string.
        """
        from toolgrammar.writing.render import render

        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {type(text).__name__}")
        # A tuple, since the calls are written and then compared: an iterator is consumed once.
        chosen = _checked(calls)
        try:
            return render(self, chosen, text, None if tools is None else to_specs(tools))
        # The caller's value nests deeper than Python's stack allows.
        except RecursionError:
            raise RenderError("a value of these calls nests too deeply") from None

    def render_results(
        self,
        results: Iterable[Answer],
        *,
        id_prefix: str = "call_",
        on_markup: OnMarkup = "escape",
    ) -> str:
        r"""Returns tool results in the format's own wire text.

        The result of a tool is untrusted text: markup and special tokens of the format in it are
        escaped where the wire has escapes (`\u003c` in a JSON string), and otherwise visibly
        broken (`<\tool_response>`), so that they are not read as markup.

        Args:
            results: the results of the engine, in the order of the calls.
            id_prefix: the text before the index in the generated id of a call without one, in
                formats that need an id.
            on_markup: `refuse` raises where the wire has no escape, instead of breaking markup.

        Raises:
            RenderError: the format defines no text for results, or markup is to be refused.
            TypeError: `results` holds something else.
            ValueError: `on_markup` is something else.
        """
        _check_on_markup(on_markup)
        from toolgrammar.writing.results.render_results import render_results

        return render_results(self, results, id_prefix=id_prefix, on_markup=on_markup)

    def render_conversation(
        self,
        messages: Iterable[Mapping[str, object]],
        *,
        tools: Iterable[object] | None = None,
        on_markup: OnMarkup = "escape",
    ) -> Conversation:
        """Returns a conversation as one prompt, for a server that completes text.

        Each message is a turn, written as the header's `turns` define. If the header has none, a turn
        is a line such as `User: Hi`, whatever models the format has: only a base model continues
        such a prompt as it should. For another model give `messages` of the result to a server that
        applies the model's own chat template.

        Calls of the assistant follow its text. Consecutive results are one turn of the tool: a line
        of JSON each, if the format defines no text for results. Ids are written if the format's
        results name them or its calls need them; reasoning is dropped if the wire has no place for
        it, and is an error if its text has none there. With tools, the format's `prompt` is at the end of the system's turn. The text ends where
        the model's next turn begins.

        The result is a string with two attributes: `messages` has the turns one by one, for a
        server that applies a chat template without tools, and `stop` the strings at which the
        server should stop.

        Args:
            messages: dicts in the shape of OpenAI's API: `role`, `content`, `tool_calls`,
                `tool_call_id`, `reasoning_content`. A role is `system`, `developer`, `user`,
                `assistant` or `tool`.
            tools: all tools of the conversation: what is written is read back with them.
            on_markup: as in `render_results`; it also applies to markup of turns in any message, and
                to the format's literals and special tokens in messages of users, and to special
                tokens in the texts of tools.

        Raises:
            RenderError: the format can't carry a message.
            TypeError: `messages` is not a list.
            ValueError: a message has another shape or role, or `on_markup` is something else.
        """
        _check_on_markup(on_markup)
        from toolgrammar.writing.conversation import render_conversation

        specs = None if tools is None else to_specs(tools)
        if on_markup == "refuse":
            from toolgrammar.writing.prompts.foreign_texts import check_tools

            check_tools(self.header, (specs or {}).values())
        taught = self.prompt(specs) if specs else ""
        return render_conversation(self, messages, specs, on_markup, taught)

    def prompt(self, tools: Iterable[object]) -> Prompt:
        """Returns the instructions that teach a model this format, with its tools.

        The result is a string whose attribute `stop` has the strings at which the server should
        stop. The texts of the tools are untrusted, as others may have written them: what begins or
        ends a turn in them, and special tokens, are escaped in JSON and otherwise visibly broken.

        Args:
            tools: the tools that the model has, of any shape.
        """
        from toolgrammar.catalogue.prompts import prompt_of

        return prompt_of(self, list(to_specs(tools).values()))

    def tree(self, island: str, *, tools: Iterable[object] | None = None) -> Tree[Token]:
        """Returns the tree of one call section, read strictly by plain Lark.

        Args:
            island: the text from the opener of a call or a section to its closer.
            tools: the tools that the model had, for a format whose markup is their names.

        Raises:
            lark.exceptions.UnexpectedInput: the text is not in the language.
            TypeError: the text is not a str.
        """
        check_type("island", island, str, "the text of one call, or of one section of calls")
        from toolgrammar.reference import reference

        # Names alone: Lark's reading knows no schema.
        names = tuple(to_specs(tools))
        return reference.tree(self.path, island, tables=self.tables, tool_names=names)

    def __repr__(self) -> str:
        return f"Format({self.id!r}, path={str(self.path)!r})"

    def __reduce__(self) -> tuple[type[Format], tuple[Path, Header]]:
        # The lock and the tables stay behind; the copy loads its tables itself.
        return type(self), (self.path, self.header)


def _check_on_markup(on_markup: object) -> None:
    """Checks what is to become of markup.

    Raises:
        ValueError: it is another word.
    """
    if on_markup not in ("escape", "refuse"):
        raise ValueError(f"on_markup must be 'escape' or 'refuse', got {on_markup!r:.80}")


def _checked(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Returns the calls that a caller gave; anything else is the caller's mistake."""
    # A ToolCall is no list of calls, and a string would be one of characters.
    if isinstance(calls, ToolCall | str | bytes | Mapping) or not isinstance(calls, Iterable):
        raise TypeError(f"calls must be a list of ToolCall, got {type(calls).__name__}")
    chosen = tuple(calls)
    for call in chosen:
        if not isinstance(call, ToolCall):
            mend = "; ToolCall(name, arguments) makes one"
            raise TypeError(f"calls must hold ToolCall, got {type(call).__name__}{mend}")
    return chosen


def load_format(path: str | os.PathLike[str]) -> Format:
    """Returns the format of a grammar file, compiled.

    Raises:
        GrammarError: the grammar is broken; the message points at file, line and column.
        FileNotFoundError: there is no such file.
        TypeError: the path is neither a str nor a path.
    """
    check_type("path", path, (str, os.PathLike), "the path of a .lark file")
    loaded = Format(path)
    loaded.tables  # noqa: B018 - compiles now, so that a broken grammar is reported here
    return loaded
