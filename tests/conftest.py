"""What holds for all tests."""

import gc
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

# Hypothesis would load what other packages bring for it, and one of them warns.
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")


def pytest_collection_modifyitems(items):
    """Files with slow tests first: with several workers, the last ones to finish are short."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


def pytest_collection_finish():
    """What is imported by now stays, so nobody looks through it again for what can be freed.

    statsmodels collects garbage at every correction after Holm: half a second each without this.
    """
    gc.collect()
    gc.freeze()
    # Looking less often takes a twentieth off the time of all tests.
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Components of a user's own, in the module `stairs` of the working folder."""
    shutil.copy(Path(__file__).parent / "own/stairs.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
