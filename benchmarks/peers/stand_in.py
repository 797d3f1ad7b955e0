"""A stand-in for a tokenizer: special tokens whole, all other text in pieces of four characters."""

from __future__ import annotations

import re
from typing import Any

from peers.wires import TURN_TOKENS

SIZE = 4


def pieces(text: str, tokens: tuple[str, ...], size: int = SIZE) -> list[str]:
    """Cuts a text as an engine hands it over: special tokens whole, the rest in small pieces."""
    if not tokens:
        return [text[at : at + size] for at in range(0, len(text), size)]
    longest_first = sorted(tokens, key=len, reverse=True)
    found: list[str] = []
    for index, part in enumerate(re.split(f"({'|'.join(map(re.escape, longest_first))})", text)):
        if index % 2:
            found.append(part)
        else:
            found += [part[at : at + size] for at in range(0, len(part), size)]
    return found


class Tokenizer:
    """As much of a tokenizer as parsers touch; an id is given out when a piece is first seen."""

    chat_template = None
    is_fast = True
    eos_token = "</s>"
    eos_token_id = 1
    unk_token_id = None
    init_kwargs: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    vocab_size = 1 << 20

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self.tokens = tokens
        self._vocabulary = {token: index + 10 for index, token in enumerate(tokens)}
        self._ids = dict(self._vocabulary)
        self._pieces = {index: piece for piece, index in self._ids.items()}
        self.all_special_tokens = [token for token in tokens if token in TURN_TOKENS]
        self.all_special_ids = [self._vocabulary[token] for token in self.all_special_tokens]
        self.added_tokens_encoder = dict(self._vocabulary)

    def __len__(self) -> int:
        return self.vocab_size

    def get_vocab(self) -> dict[str, int]:
        return self._vocabulary

    get_added_vocab = get_vocab

    def encode(self, text: str, **_: Any) -> list[int]:
        return [self._id_of(piece) for piece in pieces(text, self.tokens)]

    def decode(self, ids: Any, **_: Any) -> str:
        return "".join(self._pieces.get(each, "") for each in _listed(ids))

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        if isinstance(tokens, str):
            return self._ids.get(tokens)
        return [self._ids.get(token) for token in tokens]

    def convert_ids_to_tokens(self, ids: Any, **_: Any) -> Any:
        if isinstance(ids, int):
            return self._pieces.get(ids, "")
        return [self._pieces.get(each, "") for each in ids]

    def _id_of(self, piece: str) -> int:
        found = self._ids.get(piece)
        if found is None:
            found = self._ids[piece] = 1000 + len(self._ids)
            self._pieces[found] = piece
        return found


def _listed(ids: Any) -> Any:
    return [ids] if isinstance(ids, int) else ids
