import zipfile
from dataclasses import replace

import numpy as np
import pytest

from shakedown.data.store import let_go, load, save
from shakedown.interface import Challenge, InputError


@pytest.fixture
def challenge():
    rng = np.random.default_rng(1)
    return Challenge(
        name="ünïcode",
        X=np.asfortranarray(rng.standard_normal((5, 3))),
        y=rng.standard_normal(5),
        rows=np.array(["007", "NA", "a b", "é", "r5"]),
        features=np.array(["x", "x^2", "with, comma"]),
        split=np.array(["train", "train", "public", "final", "final"]),
        notes=("One.", "Two, R² = 1."),
    )


def same(a, b):
    assert (a.name, a.notes) == (b.name, b.notes)
    for key in ("X", "y", "rows", "features"):
        np.testing.assert_array_equal(getattr(a, key), getattr(b, key), strict=True)
    assert a.X.flags.f_contiguous == b.X.flags.f_contiguous
    assert (a.split is None) == (b.split is None)
    if a.split is not None:
        np.testing.assert_array_equal(a.split, b.split, strict=True)


def test_what_is_saved_is_loaded(challenge, tmp_path):
    save(challenge, tmp_path / "new" / "folder" / "a.npz")
    same(load(tmp_path / "new" / "folder" / "a.npz"), challenge)


def test_no_split_and_no_notes_stay_none_and_empty(challenge, tmp_path):
    bare = replace(challenge, split=None, notes=(), X=np.ascontiguousarray(challenge.X))
    save(bare, str(tmp_path / "a.npz"))
    same(load(str(tmp_path / "a.npz")), bare)


def test_numpy_itself_can_read_it(challenge, tmp_path):
    save(challenge, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["X"], challenge.X)


def test_bytes_depend_on_the_contents_alone(challenge, tmp_path, monkeypatch):
    save(challenge, tmp_path / "a.npz")
    # Another day.
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    save(challenge, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_crash_leaves_the_old_file_and_no_rubbish(challenge, tmp_path):
    save(challenge, tmp_path / "a.npz")
    # An array of objects cannot be written without pickle; it comes after others.
    broken = replace(challenge, rows=np.array([object()] * 5, dtype=object))
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        save(broken, tmp_path / "a.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    same(load(tmp_path / "a.npz"), challenge)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match=r"a\.npz does not exist; write it with `save` first"):
        load(tmp_path / "a.npz")


def test_a_file_of_another_kind_is_told(challenge, tmp_path):
    path = tmp_path / "a.npz"
    message = r"a\.npz is not a data set as `save` writes it .* delete it and make it again"

    path.write_text("hello")
    with pytest.raises(InputError, match=message):
        load(path)

    path.write_bytes(b"")
    with pytest.raises(InputError, match=message):
        load(path)

    np.savez(path, something=np.zeros(3))
    with pytest.raises(InputError, match=message):
        load(path)

    np.save(tmp_path / "b.npy", np.zeros(3))
    (tmp_path / "b.npy").rename(path)
    with pytest.raises(InputError, match=message):
        load(path)

    save(challenge, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=message):
        load(path)


def test_nothing_in_the_file_is_run(tmp_path):
    # Pickled arrays could run code on loading; they are refused.
    np.savez(tmp_path / "a.npz", name=np.array([object()], dtype=object))
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.namelist() == ["name.npy"]
    with pytest.raises(InputError, match="allow_pickle=False"):
        load(tmp_path / "a.npz")


def test_features_are_mapped_and_stay_what_they_are_when_let_go(tmp_path):
    X = np.asfortranarray(np.random.default_rng(1).standard_normal((700, 50)))
    rows, features = (np.array([str(i) for i in range(k)]) for k in X.shape)
    save(Challenge("d", X, X[:, 0], rows, features), tmp_path / "d.npz")
    read = load(tmp_path / "d.npz").X
    flags = read.flags
    assert (flags.owndata, flags.writeable, flags.aligned, flags.f_contiguous) == (0, 0, 1, 1)
    let_go(read.T)
    np.testing.assert_array_equal(read, X)
