"""The table of the truth, as an organiser has it."""

import unicodedata

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.live.truth_file import read_truth

NFC, NFD = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
IDS = [f"r{i}" for i in range(40)]


def written(folder, ids=IDS, header=("id", "truth", "set")):
    sets = ["public", "final"] * 20
    lines = [",".join(header), *(f"{id},{i},{sets[i]}" for i, id in enumerate(ids))]
    (folder / "truth.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "truth.csv"


@pytest.mark.parametrize("asked", [NFC, NFD])
def test_names_and_ids_have_one_spelling(tmp_path, asked):
    header = (f"{NFD}d", f"t{NFC}", f"s{NFD}t")
    path = written(tmp_path, [f"{NFD}{i}" for i in range(40)], header)
    names = {"id": f"{asked}d", "response": f"t{asked}", "split": f"s{asked}t"}
    truth, _ = read_truth(path, seed=1, folder=tmp_path, **names)
    assert list(truth.ids) == [f"{NFC}{i}" for i in range(40)]
    np.testing.assert_array_equal(truth.values, np.arange(40.0))


def test_a_quotation_mark_swallows_no_rows(tmp_path):
    path = written(tmp_path, ['"r0', *IDS[1:-1], 'r39"'])
    with pytest.raises(InputError, match=r"Truth \(truth\.csv\): line 2: a quotation mark opens"):
        read_truth(path, seed=1, split="set", folder=tmp_path)


def test_a_row_in_no_set_is_named(tmp_path):
    path = tmp_path / written(tmp_path)
    path.write_text(path.read_text("utf-8").replace("r6,6,public", "r6,6,both"), "utf-8")
    with pytest.raises(InputError, match=r"row 7: wanted public or final in column 'set'; got 'b"):
        read_truth("truth.csv", seed=1, split="set", folder=tmp_path)
