"""Several searches over one text read each part of it once, whatever the others find."""

from toolgrammar.core.several.open_search import OpenSearch
from toolgrammar.core.several.openers import AnyOpeners, OpenerSet, Search


class _Counted(Search):
    """Finds a word, and counts the characters that it looked at."""

    def __init__(self, word: str) -> None:
        super().__init__({}, [], [], [])
        self.word = word
        self.looked = 0

    def find(self, buffer: str, position: int) -> int:
        found = buffer.find(self.word, position)
        self.looked += (len(buffer) if found < 0 else found + 1) - position
        return found


def _of(*searches: Search) -> AnyOpeners:
    """Returns openers that these searches find."""
    sets = [OpenerSet(()) for _ in searches]
    for each, search in zip(sets, searches, strict=True):
        vars(each)["wholes"] = search
    return AnyOpeners(*sets)


def _places(search: OpenSearch, text: str, base: int = 0) -> list[int]:
    places = []
    place = search.find(text, 0, base)
    while place >= 0:
        places.append(place)
        place = search.find(text, place + 1, base)
    return places


def test_the_first_of_several_is_found_each_time() -> None:
    search = OpenSearch(_of(_Counted("a"), _Counted("b")))
    assert _places(search, "..a.b.ab") == [2, 4, 6, 7]
    assert search.find("..a.b.ab", 3) == 4  # back again


def test_what_finds_nothing_looks_at_each_character_once() -> None:
    none, every = _Counted("none"), _Counted("<")
    text = "<a" * 1000
    assert len(_places(OpenSearch(_of(none, every)), text)) == 1000
    assert none.looked == len(text)
    assert every.looked <= 2 * len(text)


def test_more_text_is_searched_anew() -> None:
    search = OpenSearch(_of(_Counted("ab")))
    assert search.find("..a", 0, 10) == -1
    assert search.find("..ab", 0, 10) == 2
    assert search.find("b", 0, 13) == -1
