"""Collects the texts of a conversation that others wrote: results of tools and messages of users.

The message `{"role": "tool", "content": "<tool_call>…</tool_call>"}` guards this text: a call whose
text is contained in it does not run. What a tool shows of a page or a file is often escaped, quoted
or numbered, and a model repeats what is meant by it: those texts are guarded, too.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.tools.entities import without_entities
from toolgrammar.tools.json_tokens import CONTROL_ESCAPES, HEX
from toolgrammar.values.errors import check_several, described
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.salvage.refusals import Code
    from toolgrammar.values.calls import ToolCall

_SEARCHES: Final = 1000
"""Texts that are looked for in one conversation at most, so that work stays linear in its length."""
_OWN: Final = frozenset({"system", "developer", "assistant"})
"""The roles that are not guarded. All others are: servers have `ipython`, `observation` and more."""
_RESULTS: Final = ("_output", "_result", "_call")
"""The endings of types of items and blocks that contain output of a tool: `function_call_output`,
`web_search_tool_result`, and `mcp_call`, which contains both the call and its output."""
_ASKED: Final = frozenset(
    {"name", "function", "arguments", "input", "action", "actions", "queries", "code", "operation"}
)
"""The keys of an item `…_call` or `…_request` that the model wrote; all other values may be the tool's."""
_CALLS: Final = ("_call", "_request")
"""The endings of types of items that the model wrote in part: `mcp_call`, `mcp_approval_request`."""
_THOUGHTS: Final = "reasoning"
"""The type of the one item without a role that is the model's own."""
_PARTS: Final = ("text", "content", "output", "outputs", "result", "results", "logs")
"""The keys of a block's text, which is joined with the texts of the other blocks."""
_LEVELS: Final = 3
"""The number of levels of JSON inside strings of JSON that are searched: MCP has two."""
_ESCAPE = late(rf"\\(?:u({HEX}{{4}})|x({HEX}{{2}})|([{CONTROL_ESCAPES}!-/:-@\[-`{{-~]))")
"""An escape of JSON, of Python (many tools answer with `str(result)`) or of Markdown: `\\_`."""
_MARGIN = late(r"^(?:[ \t]*+(?:>|[0-9]{1,9}+(?:\t| *+[:|\u2192])|[+-]))++", re.MULTILINE)
"""The characters that a quotation, line numbers, or a diff put before a line: `> `, `12\t`, `12|`, `+`."""
_BASE64 = late(r"(?:data:[^,]{0,200};base64,)?([A-Za-z0-9+/\s]{24,}+={0,2}\s*)")
"""A file in a block, alone or as a URL: those of texts are read by the model as texts."""
_SURROGATES = late(r"[\ud800-\udbff][\udc00-\udfff]")
_MEANT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# A separator that no text of a model contains: a call can't extend over two messages.
_BETWEEN: Final = "\x00\n\x00"


class GuardedTexts:
    """The texts of others in a conversation, and what was looked for in them."""

    def __init__(self, messages: Iterable[Mapping[str, Any]], least_arguments: int) -> None:
        """Collects the texts.

        Args:
            messages: dicts in the shape of OpenAI's or Anthropic's API.
            least_arguments: how long arguments must be to be looked for by themselves.

        Raises:
            TypeError: a message is not a dict.
        """
        self._messages = _checked(messages)
        self._least = least_arguments
        self._found: dict[str, bool] = {}

    @cached_property
    def _text(self) -> str:
        # Late, since most messages have no call. Each text once: conversations quote themselves.
        return _BETWEEN.join(dict.fromkeys(map(_unspaced, _guarded(self._messages))))

    def holds(self, call: ToolCall, text: str) -> Code | None:
        """Returns `echo` if one of the texts contains a call, or why that is not known.

        Args:
            call: the call.
            text: what the model wrote of it, without white space around.
        """
        if not self._text:
            return None
        arguments = call.raw_arguments.strip()
        # A free text, a command that the user asked for, is often repeated by right. Its call as a
        # whole is not.
        if len(arguments) < self._least or call.input is not None:
            arguments = ""
        for needle in (_unspaced(text), _unspaced(arguments)):
            if not needle:
                continue
            if needle not in self._found:
                if len(self._found) >= _SEARCHES:
                    return "unchecked"
                self._found[needle] = needle in self._text
            if self._found[needle]:
                return "echo"
        return None


def _checked(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    check_several("messages", messages, "a list of dicts", "write [message]")
    given = list(messages)
    for number, message in enumerate(given):
        if not isinstance(message, Mapping):
            raise TypeError(f"message {number} must be a dict, got {described(message)}")
    return given


def _guarded(messages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the texts of others."""
    for message in messages:
        content = message.get("content")
        role = message.get("role")
        # Items of the Responses API have a type and no role. Those of a type that is not known are
        # guarded as well: the API gets new tools.
        if role is None and "type" in message:
            if message["type"] != _THOUGHTS:
                yield from _texts(_written_by_tool(message))
        elif not (isinstance(role, str) and role in _OWN):
            yield from _texts([content, message.get("name")])
        # Results of tools that the service itself runs stand in the messages of the assistant.
        elif isinstance(content, list | tuple):
            for each in content:
                # LangChain puts blocks for which it has no form of its own into another.
                is_inside = isinstance(each, Mapping) and each.get("type") == "non_standard"
                block = each.get("value") if is_inside else each
                if _is_result(block):
                    yield from _texts(_written_by_tool(block))


def _is_result(block: object) -> bool:
    if not isinstance(block, Mapping):
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith(_RESULTS)


def _written_by_tool(item: Mapping[str, Any]) -> object:
    """Returns the part of an item that a tool wrote."""
    if str(item.get("type")).endswith(_CALLS):
        return {key: value for key, value in item.items() if key not in _ASKED}
    return item


def _texts(content: object) -> Iterator[str]:
    """Yields all strings of a content, those of the JSON in them too, and blocks as one text."""
    found = list(_strings(content))
    found += [_decoded(text) for text in found]
    # A page may come in several blocks, and the model reads them as one text.
    joined = "".join(_block_texts(content))
    for text in dict.fromkeys([*found, joined]):
        for meant in dict.fromkeys(_meanings(text)):
            yield meant
            yield _MARGIN.sub("", meant)


def _decoded(text: str) -> str:
    """Returns the text that a string holds in base64, as blocks of files do; "" if it holds none."""
    match = _BASE64.fullmatch(text)
    try:
        return b64decode(match[1]).decode() if match else ""
    # Neither base64 nor UTF-8, such as an image.
    except ValueError:
        return ""


def _meanings(text: str) -> Iterator[str]:
    """Yields a text, and what it says where strings of code, entities, or both stand in it."""
    for said in _unescaped(text):
        yield said
        yield without_entities(said)
    # A page that shows code: the entities are outside.
    if "&" in text:
        yield from _unescaped(without_entities(text))


def _unescaped(text: str) -> Iterator[str]:
    """Yields a text, and the decoded strings of JSON and Python in it, level by level.

    Tools answer in JSON, and the model repeats what its strings say, not how they are escaped. The
    escapes are read wherever they stand: the JSON may be cut, fenced, or have text around it.
    """
    for _ in range(_LEVELS + 1):
        if text:
            yield text
        if "\\" not in text:
            return
        said = _ESCAPE.sub(_character, text)
        if said == text:
            return
        # Beyond 16 bits a character is written as two escapes.
        text = _SURROGATES.sub(_joined, said)


def _unspaced(text: str) -> str:
    """Returns a text without its white space: ends of lines and indentation change on the way."""
    return "".join(text.split())


def _character(escape: re.Match[str]) -> str:
    long, short, letter = escape.groups()
    code = long or short
    return chr(int(code, 16)) if code else _MEANT.get(letter, letter)


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _block_texts(content: object) -> Iterator[str]:
    """Yields the texts of blocks in their order, those of the blocks in results too."""
    waiting = [content]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            # A type or an id between two texts would part them.
            waiting.extend(item[key] for key in reversed(_PARTS) if key in item)
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))


def _strings(value: object) -> Iterator[str]:
    """Yields the strings in plain data; without recursion, for it may be as deep as it likes."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if item:
                yield item
        elif isinstance(item, Mapping):
            # The keys too: a tool's answer may have a call for a key.
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
