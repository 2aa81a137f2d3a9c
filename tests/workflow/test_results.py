"""What counts as a result is what the jobs of the workflow write."""

import pytest

from shakedown.cli.project import whole
from shakedown.scheduling.results import results

from .conftest import ROOT
from .studies import tiny


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "threats", "dryrun", "replay", "boards"])
def test_the_results_are_the_files_that_jobs_write(name, folder):
    path = folder.write(tiny()) if name == "tiny" else ROOT / f"config/{name}.yaml"
    run = folder.snakemake("--summary", config=path)
    assert run.returncode == 0, run.text
    written = [line.partition("\t")[0] for line in run.text.splitlines() if "\t" in line][1:]
    config = whole(path)
    wanted = {f"results/{config['study']}/{file}" for file in results(config)}
    assert set(written) == wanted
