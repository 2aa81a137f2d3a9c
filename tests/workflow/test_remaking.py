"""Files of a finished study that are lost or damaged are made again, identically."""

import ast
import os
import re
import shutil

import pytest

from shakedown.data.store import load
from shakedown.interface import InputError
from tests.cli.studies import shakedown

from .conftest import ROOT, Folder
from .studies import tiny

pytestmark = pytest.mark.slow


def small():
    """One experiment in two chunks with a trace, one figure, and all that is said of them."""
    config = tiny(release_variability={}, sensitivity={}, claims=["shakedown.claims.zheng"])
    config["datasets"] = {"sim": config["datasets"]["sim"]}
    config["experiments"] = {
        "free": config["experiments"]["free"]
        | {"datasets": ["sim"], "replicates": 2, "replicates_per_job": 1, "traced": 1}
    }
    figure = config["figures"]["dots"] | {"experiment": "free", "design": "splits"}
    return config | {"figures": {"dots": figure}}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("study"))
    run = folder.snakemake(config=folder.write(small()))
    assert run.returncode == 0, run.text
    return folder


@pytest.fixture
def study(finished, tmp_path):
    """A copy of the finished study."""
    shutil.copytree(finished.path, tmp_path / "copy")  # keeps times
    return Folder(tmp_path / "copy")


def files_of(folder):
    """All files of the study, by their path in the folder."""
    return {
        str(path.relative_to(folder.path)): path
        for path in sorted(folder.path.glob("results/**/[!.]*"))
        if path.is_file() and "logs" not in path.parts
    }


def contents(folder):
    return {name: path.read_bytes() for name, path in files_of(folder).items()}


def flip(path):
    """Change one bit, and neither size nor time."""
    before, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def planned(folder):
    return folder.snakemake("-n", config=folder.path / "study.yaml")


def made_by(run):
    """Files that a dry run says it would make because they are missing."""
    lists = re.findall(r"Missing output files: ([^;\n]+)", run.text)
    return {name for names in lists for name in names.split(", ")}


@pytest.mark.full
def test_every_file_that_is_lost_alone_is_made_again(study):
    for name, path in files_of(study).items():
        if path.suffix in (".png", ".txt"):
            continue  # made with the .svg
        aside = path.rename(study.path / "aside")
        run = planned(study)
        assert run.returncode == 0, run.text
        assert name in made_by(run), name
        aside.rename(path)


@pytest.mark.full  # runs Snakemake several times
def test_every_damaged_file_is_named_and_made_again_after_a_repair(study):
    """Also if their sizes and times are as before."""
    names = files_of(study)
    for path in names.values():
        flip(path)
    left = contents(study)
    run = planned(study)
    assert (run.returncode, run.jobs()) == (1, {})
    for name in names:
        assert f"{name} is damaged: " in run.text
    assert "shakedown check tiny --repair" in run.text
    assert contents(study) == left
    assert study.snakemake(config=study.path / "study.yaml").returncode == 1
    assert contents(study) == left
    assert shakedown(study.path, "check", "tiny", "--repair").returncode == 0
    assert contents(study) == {}
    run = planned(study)
    shutil.rmtree(study.path / "results")
    assert run.jobs() == planned(study).jobs() != {}


@pytest.mark.full  # runs Snakemake several times
def test_repaired_files_are_made_again_as_lost_ones_are(study):
    results = study.path / "results/tiny"
    paths = [results / "summary/free.csv", results / "traces/free.parquet"]
    for path in paths:
        flip(path)
    assert shakedown(study.path, "check", "tiny").returncode == 1
    assert not list(results.rglob(".*.damaged"))
    assert shakedown(study.path, "check", "tiny", "--repair").returncode == 0
    run = planned(study)
    for path in paths:
        path.with_name(f".{path.name}.damaged").unlink()
    jobs = run.jobs()
    assert {"summarise_outcomes", "trace_experiment"} <= set(jobs)
    assert jobs == planned(study).jobs()


@pytest.mark.full  # runs Snakemake several times
def test_a_target_of_damaged_files_is_refused_by_its_job(study):
    """Where not all results are asked for, Snakemake looks at times, and jobs at what they read."""
    path = study.path / "results/tiny/chunks/free/sim/splits/1.parquet"
    flip(path)
    os.utime(path)
    run = study.snakemake(
        "--", "results/tiny/outcomes/free.parquet", config=study.path / "study.yaml"
    )
    assert run.returncode == 1
    assert "chunks/free/sim/splits/1.parquet is damaged: " in run.text


@pytest.mark.full  # runs Snakemake several times
def test_lost_and_damaged_files_come_back_as_they_were(study):
    """Also a data set whose checksum is lost: nobody knows whether it is what was written."""
    before = contents(study)
    results = study.path / "results/tiny"
    data, trace = results / "datasets/sim.npz", results / "traces/free.parquet"
    flip(results / "chunks/free/sim/splits/1.parquet")
    trace.write_bytes(trace.read_bytes()[:100])
    for name in ("summary/free.csv", "checks.csv", "claims.csv"):
        (results / name).unlink()
    data.with_name(".sim.npz.sha256").unlink()
    data.write_bytes(data.read_bytes()[:1000])
    run = shakedown(study.path, "reproduce", "study.yaml")
    assert run.returncode == 0, run.stderr
    assert "chunks/free/sim/splits/1.parquet is damaged: " in run.stderr
    assert "traces/free.parquet is damaged: " in run.stderr
    assert "datasets/sim.npz may be damaged: its checksum .sim.npz.sha256 is missing" in run.stderr
    assert contents(study) == before
    assert planned(study).jobs() == {}
    assert (results / "traces/.free.parquet.damaged").stat().st_size == 100
    assert (results / "datasets/.sim.npz.damaged").stat().st_size == 1000


@pytest.mark.full  # runs Snakemake several times
def test_a_data_set_that_jobs_refuse_comes_back_if_their_message_is_followed(study):
    data = study.path / "results/tiny/datasets/sim.npz"
    content = data.read_bytes()
    data.with_name(".sim.npz.sha256").unlink()
    data.write_bytes(content[:1000])
    with pytest.raises(InputError, match="delete it and make it again"):
        load(data)
    data.unlink()
    run = study.snakemake(config=study.path / "study.yaml")
    assert run.returncode == 0, run.text
    assert data.read_bytes() == content


def test_every_script_checks_what_it_reads_and_seals_what_it_writes():
    for path in sorted((ROOT / "workflow/scripts").glob("*.py")):
        (*_, script) = ast.parse(path.read_text("utf-8")).body
        (everything,) = script.body
        assert ast.unparse(everything).startswith("with job(snakemake"), path
