"""A comparison of boards, from its configuration to its table and its page."""

import pytest

from shakedown.comparison.cell import COLUMNS, compare
from shakedown.comparison.settings import ComparisonEntry
from shakedown.simulation import outcomes

from .conftest import Folder

pytestmark = pytest.mark.slow

SETTINGS = {
    "rows": [60, 20],
    "submissions": [10, 30],
    "replicates": 2,
    "honest_replicates": 2,
    "mechanisms": [{"name": "full_disclosure"}],
}


def comparison(**changes):
    return {"study": "beside", "seed": 4, "boards": {**SETTINGS, **changes}}


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("boards"))
    run = folder.snakemake(config=folder.write(comparison()))
    assert run.returncode == 0, run.text
    assert run.jobs()["compare_boards"] == 4
    return folder


def test_the_table_has_the_cells_in_the_order_of_the_configuration(compared):
    table = outcomes.read(compared.path / "results/beside/boards.csv")
    assert tuple(table.columns) == COLUMNS
    cells = table[["public_rows", "submissions"]].drop_duplicates()
    assert cells.to_numpy().tolist() == [[60, 10], [60, 30], [20, 10], [20, 30]]


def test_a_cell_is_what_the_package_computes(compared):
    found = outcomes.read(compared.path / "results/beside/cells/20_30.parquet")
    wanted = compare(20, 30, ComparisonEntry(**SETTINGS), seed=4)
    assert found["setting"].tolist() == wanted["setting"].tolist()
    for column in ("proved_mean", "gain", "lag", "team_rank_correlation"):
        assert found[column].tolist() == pytest.approx(wanted[column].tolist())


def test_figure_and_page_are_there(compared):
    results = compared.path / "results/beside"
    page = (results / "report.html").read_text("utf-8")
    assert "Which proved board serves honest teams best?" in page
    caption = (results / "figures/lag_by_rows.txt").read_text("utf-8")
    assert caption.endswith("Study beside, seed 4.\n")
    assert (results / "figures/lag_by_rows.png").is_file()


def test_another_cell_is_all_that_is_computed_again(compared):
    run = compared.snakemake("-n", config=compared.write(comparison(rows=[60, 20, 30])))
    assert run.jobs() == {
        "compare_boards": 2,
        "join_boards": 1,
        "draw_lags": 1,
        "build_boards_page": 1,
    }
