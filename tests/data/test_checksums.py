"""Damaged files of a study are found and named, whatever their size and time say."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest

from shakedown.data.checksums import (
    check,
    damage_message,
    damaged,
    is_damaged,
    prepare,
    seal,
    set_aside,
    unsealed,
)
from shakedown.data.store import save
from shakedown.interface import Challenge, InputError
from shakedown.simulation import outcomes

NAMES = ("table.parquet", "table.csv", "data.npz", "picture.png")


def written(folder, name):
    """A sealed file of each kind."""
    path = folder / "study" / name
    path.parent.mkdir(exist_ok=True)
    if path.suffix in (".parquet", ".csv"):
        outcomes.write(pd.DataFrame({"team": ["a", "b"] * 50, "score": np.arange(100.0)}), path)
    elif path.suffix == ".npz":
        names = np.arange(20).astype(str)
        save(Challenge("data", np.ones((20, 3)), np.arange(20.0), names, names[:3]), path)
    else:
        path.write_bytes(bytes(range(256)))
    seal([path])
    return path


def truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def flip(path):
    """Change one bit, and neither size nor time."""
    before, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [truncate, flip, empty])
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_named_and_set_aside(name, damage, tmp_path):
    path = written(tmp_path, name)
    other = written(tmp_path, "other.csv")
    content = other.read_bytes()
    damage(path)
    left = path.read_bytes()
    assert list(damaged(tmp_path)) == [path]
    line = damage_message(path)
    assert line.startswith(f"{path} is damaged: ")
    assert "\n" not in line
    assert path.read_bytes() == left
    kept = path.with_name(f".{name}.damaged")
    assert set_aside(path) == kept
    assert not path.exists()
    assert kept.read_bytes() == left
    assert other.read_bytes() == content
    assert list(damaged(tmp_path)) == []


def test_the_check_of_a_study_names_every_damaged_file_and_the_cure(tmp_path):
    paths = [written(tmp_path, name) for name in NAMES]
    check(tmp_path / "study")
    for path in paths[1:3]:
        flip(path)
    with pytest.raises(InputError) as caught:
        check(tmp_path / "study")
    text = str(caught.value)
    assert [f"{path} is damaged: " in text for path in paths] == [False, True, True, False]
    assert text.endswith("To have the next run make them again: shakedown check study --repair")


@pytest.mark.parametrize("damage", [truncate, flip, empty])
@pytest.mark.parametrize("name", NAMES)
def test_a_job_refuses_a_damaged_input_before_it_forgets_the_old_output(name, damage, tmp_path):
    path, output = written(tmp_path, name), written(tmp_path, "output.csv")
    prepare([path])
    damage(path)
    with pytest.raises(InputError, match=r"is damaged: .* Run the study again") as e:
        prepare([output, path], [output])
    assert str(path) in str(e.value)
    truncate(output)
    assert is_damaged(output)


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_as_written_stay(name, tmp_path):
    path = written(tmp_path, name)
    content = path.read_bytes()
    os.utime(path, ns=(0, 0))
    prepare([path], [])
    assert list(damaged(tmp_path)) == []
    assert path.read_bytes() == content


def test_a_job_that_is_killed_before_it_seals_leaves_nothing_to_complain_of(tmp_path):
    path = written(tmp_path, "table.csv")
    prepare([], [path])
    path.write_text("new")
    assert not is_damaged(path)
    assert list(damaged(tmp_path)) == []
    assert path.read_text() == "new"


def test_files_that_nobody_sealed_or_that_are_gone_are_not_checked(tmp_path):
    own, gone = tmp_path / "own.csv", written(tmp_path, "table.csv")
    own.write_text("x")
    gone.unlink()
    prepare([own, gone, tmp_path / "never.csv"], [])
    assert list(damaged(tmp_path)) == []
    assert list(damaged(tmp_path / "no such folder")) == []


def test_a_damaged_checksum_counts_as_a_damaged_file(tmp_path):
    path = written(tmp_path, "table.csv")
    path.with_name(".table.csv.sha256").write_bytes(b"\xff\xfe")
    assert is_damaged(path)
    path.with_name(".table.csv.sha256").write_bytes(b"")
    assert is_damaged(path)


def test_a_file_that_cannot_be_renamed_is_one_sentence(tmp_path, monkeypatch):
    path = written(tmp_path, "table.csv")
    flip(path)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match="cannot be set aside") as e:
        set_aside(path)
    assert str(path) in str(e.value)


def test_checksums_are_those_of_sha256sum(tmp_path):
    path = written(tmp_path, "table.parquet")
    command = ["sha256sum", "--check", "--strict", ".table.parquet.sha256"]
    assert subprocess.run(command, cwd=path.parent, capture_output=True).returncode == 0
    flip(path)
    assert subprocess.run(command, cwd=path.parent, capture_output=True).returncode == 1


def test_a_file_without_its_checksum_is_named(tmp_path):
    path, other = written(tmp_path, "table.csv"), written(tmp_path, "other.csv")
    path.with_name(".table.csv.sha256").unlink()
    assert list(unsealed([path, other, tmp_path / "never.csv"])) == [path]
    assert damage_message(path) == (
        f"{path} may be damaged: its checksum .table.csv.sha256 is missing."
    )
    assert set_aside(path) == path.with_name(".table.csv.damaged")
