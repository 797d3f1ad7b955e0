"""A run that was killed is gone on from, and gives what one run would have given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import toolgrammar
from tests.house.checkout import ROOT
from tests.units.bulk.rows_of_test import read_lines, write_rows
from toolgrammar.bulk.runs.journal import check_output

DYING = """
import os, signal, sys
from pathlib import Path
import toolgrammar
from toolgrammar.bulk.runs import journal
from toolgrammar.bulk.files import chunks as sources
from toolgrammar.bulk.runs.journal import Journal

def die():
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

moment, jobs, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
add, note, chunks = Journal.add, Journal._note, []

def dying_add(self, done, place, before):
    chunks.append(done)
    if moment == "in the lines" and len(chunks) == 4:
        self._lines.write(b'{"half a line')
        self._lines.flush()
        die()
    add(self, done, place, before)

def dying_note(self, what):
    if len(chunks) == 4 and moment == "before the note":
        die()
    if len(chunks) == 4 and moment == "in the note":
        self._notes.write(b'{"place": 12')
        self._notes.flush()
        die()
    note(self, what)

if __name__ == "__main__":
    sources.CHUNK_BYTES = 1000
    Journal.add, Journal._note = dying_add, dying_note
    toolgrammar.batch(
        folder / "rows.jsonl", "hermes", output=folder / "out.jsonl", jobs=jobs, keep=["id"]
    )
"""


def _kill(folder: Path, moment: str, jobs: int) -> None:
    script = folder / "dying.py"
    script.write_text(DYING, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, script, moment, str(jobs), folder],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=60,
    )
    assert run.returncode != 0
    assert not (folder / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("moment", "jobs"),
    [("in the lines", 1), ("in the lines", 2), ("before the note", 2), ("in the note", 1)],
)
def test_a_killed_run_is_gone_on_from(tmp_path: Path, moment: str, jobs: int) -> None:
    expected = write_rows(tmp_path / "rows.jsonl", 80)
    with (tmp_path / "rows.jsonl").open("ab") as file:
        file.write(b"no row\n" * 3)
    whole = toolgrammar.batch(
        tmp_path / "rows.jsonl", "hermes", output=tmp_path / "whole.jsonl", keep=["id"]
    )
    _kill(tmp_path, moment, jobs)
    report = toolgrammar.batch(
        tmp_path / "rows.jsonl", "hermes", output=tmp_path / "out.jsonl", keep=["id"], jobs=jobs
    )
    assert 0 < report.resumed_rows < 80
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert read_lines(tmp_path / "out.jsonl")[:80] == expected
    assert report.bad_rows == whole.bad_rows
    assert (report.rows, report.calls, report.failed) == (whole.rows, whole.calls, whole.failed)
    assert not [
        *tmp_path.glob("*.partial"),
        *tmp_path.glob("*.progress"),
        *tmp_path.glob("*.parts"),
    ]


def test_another_run_does_not_go_on(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 80)
    _kill(tmp_path, "in the lines", 1)
    given = (tmp_path / "rows.jsonl", "hermes")
    with pytest.raises(ValueError, match=r"out\.jsonl\.progress is of an interrupted run"):
        toolgrammar.batch(*given, output=tmp_path / "out.jsonl", strict=True)
    report = toolgrammar.batch(*given, output=tmp_path / "out.jsonl", strict=True, resume=False)
    assert (report.rows, report.resumed_rows) == (80, 0)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout", "/dev/stderr"])
def test_a_device_is_no_output(name: str) -> None:
    """Only the check is called: a run by root would put a file in the device's place."""
    with pytest.raises(ValueError, match=f"{name}: this is a device or a pipe"):
        check_output(Path(name), [], ("",))


@pytest.mark.skipif(sys.platform == "win32", reason="it has no named pipes in folders")
def test_a_pipe_is_no_output(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 6)
    os.mkfifo(tmp_path / "out.jsonl")
    for link in (tmp_path / "out.jsonl", tmp_path / "link.jsonl"):
        if link.name == "link.jsonl":
            link.symlink_to(tmp_path / "out.jsonl")
        with pytest.raises(ValueError, match=f"{link.name}: this is a device or a pipe"):
            toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=link)
    assert (tmp_path / "out.jsonl").is_fifo()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_finished_nothing_is_in_nobodys_way(tmp_path: Path, jobs: int) -> None:
    """A file that is not packed ends its run; then the right one is named."""
    output = tmp_path / "out.jsonl"
    (tmp_path / "rows.jsonl.gz").write_bytes(b"not packed")
    with pytest.raises(ValueError, match="can't be unpacked"):
        toolgrammar.batch(tmp_path / "rows.jsonl.gz", "hermes", output=output, jobs=jobs)
    write_rows(tmp_path / "rows.jsonl", 6)
    report = toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=output)
    assert (report.rows, report.resumed_rows, len(read_lines(output))) == (6, 0, 6)
    assert sorted(each.name for each in tmp_path.glob("out*")) == ["out.jsonl"]


def test_lines_that_no_note_vouches_for_are_read_again(tmp_path: Path) -> None:
    """After a loss of power the notes may be there and the lines not."""
    write_rows(tmp_path / "rows.jsonl", 80)
    given = (tmp_path / "rows.jsonl", "hermes")
    toolgrammar.batch(*given, output=tmp_path / "whole.jsonl", keep=["id"])
    _kill(tmp_path, "in the lines", 1)
    partial = tmp_path / "out.jsonl.partial"
    data = bytearray(partial.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    partial.write_bytes(data)
    report = toolgrammar.batch(*given, output=tmp_path / "out.jsonl", keep=["id"])
    assert 0 < report.resumed_rows < 80
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize("left", [b"", b"torn", b'{"version": 1}'])
def test_a_head_that_is_torn_counts_as_nothing(tmp_path: Path, left: bytes) -> None:
    write_rows(tmp_path / "rows.jsonl", 6)
    (tmp_path / "out.jsonl.progress").write_bytes(left)
    (tmp_path / "out.jsonl.partial").write_bytes(b"x")
    report = toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=tmp_path / "out.jsonl")
    assert (report.rows, len(read_lines(tmp_path / "out.jsonl"))) == (6, 6)


def test_values_are_never_gone_on_from(tmp_path: Path) -> None:
    """Nobody can tell whether another run would see the same ones."""
    (tmp_path / "out.jsonl.progress").write_bytes(b"{}\n")
    (tmp_path / "out.jsonl.partial").write_bytes(b"x")
    report = toolgrammar.batch(["a", "b"], "hermes", output=tmp_path / "out.jsonl")
    assert (report.rows, len(read_lines(tmp_path / "out.jsonl"))) == (2, 2)
