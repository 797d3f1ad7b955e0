"""Finds images and other media in the values of tools, in the shape of MCP's content blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolgrammar.engine.outcomes.failures import cut
from toolgrammar.engine.outcomes.text_json import compact_json


class Media(NamedTuple):
    """The media in a block of a value."""

    kind: str
    """Its MIME type, such as `image/png`."""
    data: str
    """The content, in base64."""

    @property
    def placeholder(self) -> str:
        """A text that stands for the media where only text is allowed."""
        # Four characters of base64 are three bytes; each `=` at the end is one less.
        size = len(self.data) * 3 // 4 - self.data[-2:].count("=")
        return f"[{self.kind}, {size:,} bytes]"


def media_of(part: Any) -> Media | None:
    """Returns the image, audio or binary resource in a block; None for any other value.

    >>> media_of({"type": "image", "data": "aGk=", "mimeType": "image/png"}).placeholder
    '[image/png, 2 bytes]'
    """
    if not isinstance(part, dict):
        return None
    kind, data = part.get("mimeType"), part.get("data")
    # A resource may hold text instead of bytes; that has no `blob`, and is not a medium.
    if part.get("type") == "resource" and isinstance(part.get("resource"), dict):
        kind, data = part["resource"].get("mimeType"), part["resource"].get("blob")
    elif part.get("type") not in {"image", "audio"}:
        return None
    # A tool's own data may have the `type` of an image without the rest.
    return Media(kind, data) if isinstance(kind, str) and isinstance(data, str) else None


def blocks_of(value: Any) -> list[Any] | None:
    """Returns the blocks of a value if one of them has media; None for any other value."""
    blocks = value if isinstance(value, list) else [value]
    return blocks if any(media_of(block) is not None for block in blocks) else None


def text_of_block(block: Any) -> str:
    """Returns a block as text; media as their placeholder."""
    media = media_of(block)
    if media is not None:
        return media.placeholder
    # The text that MCP and Anthropic's API have beside an image, and nothing more to say.
    if isinstance(block, dict) and block.keys() == {"type", "text"} and block["type"] == "text":
        block = block["text"]
    return block if isinstance(block, str) else compact_json(block)


def cut_beside_media(blocks: list[Any], limit: int) -> list[Any]:
    """Returns the blocks with their texts cut to `limit` characters; media are never cut."""
    return [
        block
        if media_of(block) is not None or len(text_of_block(block)) <= limit
        else cut(text_of_block(block), limit)
        for block in blocks
    ]
