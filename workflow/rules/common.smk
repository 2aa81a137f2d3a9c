import os
import shlex
import sys
from functools import cache
from math import ceil
from pathlib import Path

ROOT = Path(workflow.basedir)
SRC = ROOT / "src"

if SRC.is_dir():
    # The package is found without being installed, here and in the jobs.
    sys.path.insert(0, str(SRC))
    os.environ.update(PYTHONPATH=str(SRC))
else:
    # An installed package holds the workflow.
    SRC = ROOT.parents[1]

# Without byte code every job would start seconds later.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# glibc would give the memory of each freed array back, and ask for it again for the next one.  So
# arrays up to 32 MiB (older versions refuse more) come from a heap of which 128 MiB may lie free.
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(32 * 2**20))
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(128 * 2**20))

from shakedown.config import complete
from shakedown.data import made
from shakedown.data.checksums import damaged, set_aside, told, unsealed
from shakedown.data.designs import DESIGNS
from shakedown.data.files import sweep
from shakedown.interface import InputError
from shakedown.provenance import code_digest, own_files
from shakedown.reading import check_keys

try:
    # Snakemake has read these files, and kept the last value of a repeated key.
    check_keys(workflow.configfiles)
    config = complete(config, base=ROOT)
except InputError as e:
    raise WorkflowError(str(e)) from None


pathvars:
    results=f"results/{config['study']}",
    logs="<results>/logs",


wildcard_constraints:
    dataset="|".join(config["datasets"]) or "no data sets",
    experiment="|".join(config["experiments"]),
    design="|".join(DESIGNS),
    chunk=r"\d+",


#: Files that are not what was written: Snakemake sees size and time of a file, not what is in it.
DAMAGED = []
if workflow.is_main_process:
    try:
        for path in damaged(Path("results", config["study"])):
            print(told(path), file=sys.stderr, flush=True)
            DAMAGED.append(path)
    except InputError as e:
        raise WorkflowError(str(e)) from None

    prepare_dag = workflow._prepare_dag

    def prepare_and_force(*args, **kwargs):
        """Make them again, as with --forcerun; a dry run plans that, and changes nothing."""
        wanted = (str(path) for path in get_results())
        files = [p.replace("<results>", f"results/{config['study']}") for p in wanted]
        for path in unsealed(files):
            print(told(path), file=sys.stderr, flush=True)
            DAMAGED.append(path)
        # Snakemake has no other way to say so here: its settings are set after this file is read.
        forced = {*workflow.dag_settings.forcerun, *map(str, DAMAGED)}
        workflow.dag_settings.forcerun = forced
        return prepare_dag(*args, **kwargs)

    workflow._prepare_dag = prepare_and_force


onstart:
    sweep(Path("results", config["study"]))
    for path in DAMAGED:
        set_aside(path)


#: Files of the user's own components.
OWN_FILES = own_files(config)


@cache
def library_digest(rule_name):
    """Stands for the code that a script imports; among its params, so that a change runs it again."""
    script = ROOT / "workflow" / "scripts" / f"{rule_name}.py"
    return code_digest(script, SRC, own=OWN_FILES)


def get_figure_files(figures):
    """All files of some figures."""
    return collect(
        "<results>/figures/{name}.{kind}", name=figures, kind=("svg", "png", "txt")
    )


def get_caption(figure):
    """The caption of a figure in Snakemake's own report: the one that was written beside it."""
    return os.path.abspath(f"results/{config['study']}/figures/{figure}.txt")


def get_config_file():
    """The file that this study is read from, as one types it in the working folder."""
    files = workflow.overwrite_configfiles or [ROOT / "config/config.yaml"]
    return os.path.relpath(files[-1])


def figure_command():
    """What to type to draw one figure of this study; its id is to follow."""
    usual = ROOT / "config" / "config.yaml"
    files = [
        shlex.quote(os.path.relpath(path))
        for path in workflow.overwrite_configfiles
        if not (usual.is_file() and os.path.samefile(path, usual))
    ]
    if len(files) < 2:
        return " ".join(["shakedown", "reproduce", *files, "--only"])
    return " ".join(["snakemake", "--cores", "1", "--configfile", *files, "--"])


def get_settings(part, only=None, without=()):
    """What of the settings of a dry run, or of a replay, decides what a rule makes."""
    return {
        key: value
        for key, value in config[part].items()
        if key not in without and (only is None or key in only)
    }
