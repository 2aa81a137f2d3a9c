import os
import sys
from functools import cache
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
from shakedown.data.checksums import CHECKED, check
from shakedown.data.designs import DESIGNS
from shakedown.data.files import sweep
from shakedown.interface import InputError
from shakedown.provenance import code_digest, own_files
from shakedown.reading import check_keys
from shakedown.scheduling.figures import drawing_command
from shakedown.scheduling.results import results

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


onstart:
    sweep(Path("results", config["study"]))


#: Files of the user's own components.
OWN_FILES = own_files(config)


@cache
def library_digest(rule_name):
    """Stands for the code that a script imports; among its params, so that a change runs it again."""
    script = ROOT / "workflow" / "scripts" / f"{rule_name}.py"
    return code_digest(script, SRC, own=OWN_FILES)


def in_results(files):
    """Some files of the study, whose paths are relative to its results."""
    return [f"<results>/{file}" for file in files]


def checked_results(_):
    """All results, unless one of them is damaged: Snakemake sees size and time of a file alone."""
    if CHECKED not in os.environ:
        check(Path("results", config["study"]))
    return in_results(results(config))


def get_caption(figure):
    """The caption of a figure in Snakemake's own report: the one that was written beside it."""
    return os.path.abspath(f"results/{config['study']}/figures/{figure}.txt")


def get_config_file():
    """The file that this study is read from, as one types it in the working folder."""
    files = workflow.overwrite_configfiles or [ROOT / "config/config.yaml"]
    return os.path.relpath(files[-1])


#: What to type to draw one figure of this study; its id is to follow.
COMMAND = drawing_command(
    workflow.overwrite_configfiles, ROOT / "config" / "config.yaml"
)
