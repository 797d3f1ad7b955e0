"""Each format has a process of its own, whose results come in the order of the tasks."""

import os

from toolgrammar.comparison.workers import Workers

TASKS = [(each, (each,)) for each in "abcab"]


def at_work(name: str) -> tuple[str, int]:
    return name, os.getpid()


def test_a_format_stays_in_its_process() -> None:
    told: list[int] = []
    with Workers(2) as workers:
        found = workers.each(at_work, TASKS, "formats", lambda _, done, __: told.append(done))
        again = workers.each(at_work, TASKS[::-1], "formats", lambda *_: None)
    assert [name for name, _ in found] == list("abcab")
    places = dict(found)
    assert found == [(name, places[name]) for name in "abcab"]
    assert again == found[::-1]
    assert len(set(places.values())) == 2
    assert os.getpid() not in places.values()
    assert told == [1, 2, 3, 4, 5]


def test_one_alone_is_the_own_process() -> None:
    with Workers(1) as workers:
        found = workers.each(at_work, TASKS, "formats", lambda *_: None)
    assert found == [(name, os.getpid()) for name in "abcab"]
