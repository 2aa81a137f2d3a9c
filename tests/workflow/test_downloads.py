"""A study whose table has an address."""

import pytest

from shakedown.data.store import load
from tests.data.test_downloads import OTHER, TABLE, kept, recipe, serving, sha256

pytestmark = pytest.mark.slow


def test_jobs_read_the_copy_and_run_again_with_another_checksum(folder):
    made = folder.path / "results/at/datasets/mine.npz"

    def run(address, content):
        entry = recipe(address, sha256=sha256(content))
        config = {"study": "at", "datasets": {"mine": entry}, "dryrun": {}}
        return folder.snakemake("--", "results/at/datasets/mine.npz", config=folder.write(config))

    with serving(my_csv=TABLE) as server:
        address = f"{server.address}/my.csv"
        done = run(address, TABLE)
        assert done.returncode == 0, done.text
        assert done.jobs() == {"make_dataset": 1}
        assert server.asked == ["/my.csv"]
    first = load(made)
    assert first.notes[0].startswith(f"Read from {address}: 40 rows")
    assert run(address, TABLE).jobs() == {}
    made.unlink()
    assert run(address, TABLE).jobs() == {"make_dataset": 1}
    stopped = run(address, OTHER)
    assert stopped.returncode != 0
    assert "cannot be downloaded (Connection refused)" in stopped.text
    (folder.path / "data/downloads" / f"{sha256(OTHER)}.csv").write_bytes(OTHER)
    assert run(address, OTHER).jobs() == {"make_dataset": 1}
    assert (load(made).y != first.y).all()
    assert kept(folder.path) == sorted(f"{sha256(content)}.csv" for content in (TABLE, OTHER))
