import os
import sys
from math import ceil
from pathlib import Path

import yaml

ROOT = Path(workflow.basedir)
SRC = ROOT / "src"

# The package is found without being installed, here and in the jobs.
sys.path.insert(0, str(SRC))
os.environ.update(PYTHONPATH=str(SRC))
# Without byte code every job would start seconds later.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from shakedown.configuration import complete
from shakedown.interface import InputError
from shakedown.provenance import code_digest
from shakedown.reading import check_keys


def load_schema(name):
    """A schema of workflow/schemas."""
    with open(
        ROOT / "workflow" / "schemas" / f"{name}.schema.yaml", encoding="utf-8"
    ) as file:
        return yaml.safe_load(file)


try:
    # Snakemake has read these files, and kept the last value of a repeated key.
    check_keys(workflow.configfiles)
    config = complete(config, load_schema("config"), base=ROOT)
except InputError as e:
    raise WorkflowError(str(e)) from None

outcomes_schema = load_schema("outcomes")


pathvars:
    results=f"results/{config['study']}",
    logs="<results>/logs",
    benchmarks="<results>/benchmarks",


wildcard_constraints:
    dataset="|".join(config["datasets"]) or "no data sets",
    experiment="|".join(config["experiments"]),
    spread="|".join(config["spreads"]) or "no spreads",
    design="permuted|splits|labels",
    chunk=r"\d+",


def library_digest(rule_name):
    """Stands for the code that a script imports; among its params, so that a change runs it again."""
    return code_digest(ROOT / "workflow" / "scripts" / f"{rule_name}.py", SRC)


def get_pages():
    """What a study ends with: its page, and the figures that are on it."""
    if config["dryrun"]:
        names = get_pictures()
    elif config["replay"]:
        names = get_replay_figures()
    else:
        names = config["figures"]
    return [
        "<results>/report.html",
        *collect(
            "<results>/figures/{name}.{kind}", name=names, kind=("svg", "png", "txt")
        ),
    ]


def get_caption(figure):
    """The caption of a figure in Snakemake's own report: the one that was written beside it."""
    return os.path.abspath(f"results/{config['study']}/figures/{figure}.txt")


def figure_command():
    """What to type to draw one figure of this study; its id is to follow."""
    files = [os.path.relpath(path, ROOT) for path in workflow.overwrite_configfiles]
    options = (
        ["--configfile", *files, "--"]
        if files not in ([], ["config/config.yaml"])
        else []
    )
    return " ".join(["snakemake", "--cores", "1", *options])


def get_settings(part, only=None, without=()):
    """What of the settings of a dry run, or of a replay, decides what a rule makes."""
    return {
        key: value
        for key, value in config[part].items()
        if key not in without and (only is None or key in only)
    }
