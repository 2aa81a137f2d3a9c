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


def get_table(wildcards):
    """The file that a data set is read from, if any."""
    return lookup(dpath="datasets/{dataset}/path", within=config, default=[])(wildcards)


def get_game(wildcards):
    """What of an experiment's settings decides how a replicate goes."""
    experiment = config["experiments"][wildcards.experiment]
    deciding = ("metric", "features", "feature_subset", "attack", "model", "mechanisms")
    return {key: experiment[key] for key in deciding}


def get_chunk_size(experiment):
    return experiment["replicates_per_job"] or config["replicates_per_job"]


def get_replicates(wildcards):
    """First replicate of a chunk, and the first one after it."""
    experiment = config["experiments"][wildcards.experiment]
    size = get_chunk_size(experiment)
    first = int(wildcards.chunk) * size
    return [first, min(first + size, experiment["replicates"])]


def get_chunks(wildcards):
    """All chunks of an experiment."""
    experiment = config["experiments"][wildcards.experiment]
    return collect(
        "<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet",
        experiment=wildcards.experiment,
        dataset=experiment["datasets"],
        design=experiment["designs"],
        chunk=range(ceil(experiment["replicates"] / get_chunk_size(experiment))),
    )


def get_datasets(wildcards):
    """All data sets of an experiment."""
    datasets = config["experiments"][wildcards.experiment]["datasets"]
    return collect("<results>/datasets/{dataset}.npz", dataset=datasets)


def get_figure_tables(figure):
    """The tables that a figure shows."""
    entry = config["figures"][figure]
    folders = {"traces": "traces", "spread": "spreads", "bounds": "bounds"}
    folder = folders.get(entry["kind"], "outcomes")
    return collect(
        "<results>/{folder}/{shown}.parquet", folder=folder, shown=entry["experiment"]
    )


def get_sheets():
    """The figures that one job draws, as they show the same tables; by what they show."""
    sheets = {}
    for figure, entry in config["figures"].items():
        shown = entry["experiment"]
        shown = [shown] if isinstance(shown, str) else shown
        kind = f"_{entry['kind']}" if entry["kind"] in ("traces", "bounds") else ""
        sheets.setdefault("_and_".join(shown) + kind, []).append(figure)
    return sheets


def get_figure_settings(figure):
    """What of a figure's entry decides how it looks."""
    entry = {k: v for k, v in config["figures"][figure].items() if k != "title"}
    if "rows" in entry:
        entry["rows"] = get_public_rows() | (entry["rows"] or {})
    return entry


def get_bounded():
    """The experiments whose outcomes stand beside what theory guarantees."""
    return config["bounds"]["experiments"] if config["bounds"] else []


def get_public_rows():
    """Number of public rows of each data set of labels."""
    labels = {k: v for k, v in config["datasets"].items() if v["recipe"] == "labels"}
    return {name: of["public"] for name, of in labels.items()}


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


def get_spread_data(wildcards):
    """The data set of a spread."""
    return f"<results>/datasets/{config['spreads'][wildcards.spread]['dataset']}.npz"


def traced():
    """The experiments whose every submission a figure shows."""
    shown = [
        f["experiment"] for f in config["figures"].values() if f["kind"] == "traces"
    ]
    names = [name for e in shown for name in ([e] if isinstance(e, str) else e)]
    return list(dict.fromkeys(names))


def get_traced(wildcards):
    """How many replicates of an experiment are traced."""
    experiment = config["experiments"][wildcards.experiment]
    return min(experiment["traced"], experiment["replicates"])


def get_ledger():
    """The files that claims stand in; the rule needs some even where none are asked for."""
    files = config["claims"] or "Snakefile"
    return [ROOT / file for file in ([files] if isinstance(files, str) else files)]


def get_claim_tables():
    """All tables that claims are held against, by their kind."""
    return {
        "outcomes": collect(
            "<results>/outcomes/{experiment}.parquet", experiment=config["experiments"]
        ),
        "traces": collect("<results>/traces/{experiment}.parquet", experiment=traced()),
        "spreads": collect(
            "<results>/spreads/{spread}.parquet", spread=config["spreads"]
        ),
    }


def get_wanted(wildcards_or_name):
    """What of an experiment's settings its tables are held against."""
    name = getattr(wildcards_or_name, "experiment", wildcards_or_name)
    experiment = config["experiments"][name]
    return {
        key: experiment[key] for key in ("datasets", "designs", "metric", "replicates")
    }


def get_answers():
    """What the report tells beside the outcomes, where the study asks for it."""
    answers = {}
    if config["claims"]:
        answers["claims"] = "<results>/claims.csv"
    if config["sensitivity"]:
        answers["sensitivity"] = "<results>/sensitivity.csv"
    if config["bounds"]:
        answers["bounds"] = "<results>/bounds.csv"
    return answers


def figure_command():
    """What to type to draw one figure of this study; its id is to follow."""
    files = [os.path.relpath(path, ROOT) for path in workflow.overwrite_configfiles]
    options = (
        ["--configfile", *files, "--"]
        if files not in ([], ["config/config.yaml"])
        else []
    )
    return " ".join(["snakemake", "--cores", "1", *options])


def get_pictures():
    """The figures of a dry run, each also laid out for a phone."""
    kinds = ("safe_limits", "frontier_split", "protection", "acceptance")
    return [f"{kind}{layout}" for kind in kinds for layout in ("", "_narrow")]


def get_challenge():
    """The data set of a dry run."""
    return config["dryrun"]["dataset"] or next(iter(config["datasets"]))


def get_dryrun(only=None, without=()):
    """What of a dry run's settings decides what a rule makes."""
    return {
        key: value
        for key, value in config["dryrun"].items()
        if key not in without and (only is None or key in only)
    }


def get_lanes():
    return range(config["dryrun"]["lanes"])


def get_lane_seconds():
    """Seconds that one lane may play; a resource, as another machine plays nothing again."""
    lanes = config["dryrun"]["lanes"]
    beside = min(lanes, workflow.cores or 1)
    return ceil(60 * config["dryrun"]["minutes"] * beside / lanes)


def get_log_files():
    """The files of a submission log."""
    log = config["replay"]
    named = [log["table"], log["submissions"]]
    if isinstance(log["public"], str) and os.path.isfile(log["public"]):
        named.append(log["public"])
    files = [os.path.expanduser(path) for path in named if path]
    if log["folder"]:
        folder = Path(log["folder"]).expanduser()
        files += sorted(
            str(p)
            for p in folder.iterdir()
            if p.is_file() and not p.name.startswith(".")
        )
    return files


def get_replay(only=None, without=()):
    """What of a replay's settings decides what a rule makes."""
    return {
        key: value
        for key, value in config["replay"].items()
        if key not in without and (only is None or key in only)
    }


def get_replay_figures():
    """The figures of a replay, each also laid out for a phone."""
    kinds = ("ranks", "scores", "splits", "rungs", "error")
    return [f"replay_{kind}{layout}" for kind in kinds for layout in ("", "_narrow")]
