"""Which job draws what: every figure once, with the tables that it shows."""

import pytest

from shakedown.config import complete
from shakedown.scheduling import figures
from tests.workflow.studies import tiny


@pytest.fixture
def config():
    return complete(tiny())


def with_boxes(config, number):
    """As many figures of the outcomes of `free` beside those of traces and releases."""
    boxes = config["figures"].pop("boxes")
    config["figures"].update({f"boxes_{k}": dict(boxes) for k in range(number)})


def test_few_figures_are_drawn_with_those_of_like_tables(config):
    assert figures.sheets(config) == [
        figures.Sheet(
            "traces",
            ["spread", "dots"],
            ["release_variability/steady.parquet", "traces/step.parquet"],
        ),
        figures.Sheet("outcomes", ["boxes"], ["outcomes/free.parquet"]),
    ]


@pytest.mark.parametrize(("number", "name"), [(3, "outcomes"), (4, "outcomes_of_free")])
def test_many_figures_of_the_same_tables_have_a_job_of_their_own(number, name, config):
    with_boxes(config, number)
    sheets = {sheet.name: sheet for sheet in figures.sheets(config)}
    assert set(sheets) == {name, "traces"}
    assert sheets[name].figures == [f"boxes_{k}" for k in range(number)]
    assert sheets[name].tables == ["outcomes/free.parquet"]


def test_a_sheet_of_many_experiments_has_a_name_that_a_file_can_have(config):
    with_boxes(config, 8)
    experiments = [f"experiment_{'x' * 60}_{k}" for k in range(9)]
    for k in range(8):
        # Names that differ at the end alone.
        config["figures"][f"boxes_{k}"]["experiment"] = experiments[:8] + experiments[k // 4 :][:1]
    names = [sheet.name for sheet in figures.sheets(config)][:2]
    assert len(set(names)) == 2
    assert all(len(name) == 100 for name in names)
    assert all(name.startswith("outcomes_of_experiment_xxx") for name in names)


def test_a_table_that_two_figures_show_is_read_once(config):
    config["figures"]["again"] = {**config["figures"]["boxes"], "experiment": ["step", "free"]}
    assert figures.tables(config, ["boxes", "again"]) == [
        "outcomes/free.parquet",
        "outcomes/step.parquet",
    ]


def test_experiments_are_traced_if_a_figure_shows_their_submissions(config):
    assert figures.traced(config) == ["step"]
    config["figures"]["more"] = {**config["figures"]["dots"], "experiment": ["step", "free"]}
    assert figures.traced(config) == ["free", "step"]
    config["figures"] = {"boxes": config["figures"]["boxes"]}
    assert figures.traced(config) == []


def test_a_figure_has_two_pictures_and_a_caption():
    assert figures.files_of(["dots"]) == [
        "figures/dots.svg",
        "figures/dots.png",
        "figures/dots.txt",
    ]


def test_a_title_draws_no_figure_again(config):
    boxes = config["figures"]["boxes"]
    before = figures.figure_settings(config, "boxes")
    assert before == {key: value for key, value in boxes.items() if key != "title"}
    boxes["title"] = "Another"
    assert figures.figure_settings(config, "boxes") == before


def test_public_rows_are_those_that_recipes_say(config):
    assert figures.public_rows(config) == {}
    labels = {"recipe": "labels", "public": 30, "final": 40}
    config["datasets"] = {"labels": labels, **config["datasets"]}
    assert figures.public_rows(config) == {"labels": 30}


def test_the_report_shows_the_first_threat_map_alone(config):
    assert figures.threat_maps(config) == []
    config["figures"] |= {"map": {"kind": "threat_map"}, "other": {"kind": "threat_map"}}
    assert figures.threat_maps(config) == ["map"]


def test_the_command_that_draws_a_figure_names_the_configurations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    usual, mine = tmp_path / "config.yaml", tmp_path / "my study.yaml"
    mine.touch()
    assert figures.drawing_command([mine], usual) == "shakedown reproduce 'my study.yaml' --only"
    usual.touch()
    assert figures.drawing_command([], usual) == "shakedown reproduce --only"
    assert figures.drawing_command([usual], usual) == "shakedown reproduce --only"
    more = tmp_path / "more.yaml"
    more.touch()
    assert figures.drawing_command([mine, more], usual) == (
        "snakemake --cores 1 --configfile 'my study.yaml' more.yaml --"
    )
