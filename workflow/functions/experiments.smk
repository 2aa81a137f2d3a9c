from shakedown.figures.kind import FIGURE_KINDS
from shakedown.simulation import cost


def get_deciding(experiment):
    """What of an experiment's settings decides how a replicate goes."""
    deciding = ("metric", "features", "feature_subset", "attack", "model", "mechanisms")
    return {key: experiment[key] for key in deciding}


def get_chunk_size(experiment):
    return experiment["replicates_per_job"] or config["replicates_per_job"]


def get_chunk_games(wildcards):
    """What one job plays of a large experiment: some replicates, on one data set in one design."""
    experiment = config["experiments"][wildcards.experiment]
    size = get_chunk_size(experiment)
    first = int(wildcards.chunk) * size
    return get_games(
        [wildcards.experiment],
        datasets=[wildcards.dataset],
        designs=[wildcards.design],
        replicates=[first, min(first + size, experiment["replicates"])],
    )


def get_games(names, datasets=None, designs=None, replicates=None):
    """What a job plays of each experiment; on all data sets and so on, unless they are named."""
    experiments = {name: config["experiments"][name] for name in names}
    return {
        name: {
            "datasets": datasets or experiment["datasets"],
            "designs": designs or experiment["designs"],
            "settings": get_deciding(experiment),
            "replicates": replicates or [0, experiment["replicates"]],
        }
        for name, experiment in experiments.items()
    }


def get_chunks(name):
    """All chunks of an experiment."""
    experiment = config["experiments"][name]
    return collect(
        "<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet",
        experiment=name,
        dataset=experiment["datasets"],
        design=experiment["designs"],
        chunk=range(ceil(experiment["replicates"] / get_chunk_size(experiment))),
    )


def get_share(experiment):
    """How much of what one job may play an experiment is; above 1 it needs several jobs."""
    parts = len(experiment["datasets"]) * len(experiment["designs"])
    return parts * experiment["replicates"] / get_chunk_size(experiment)


def get_large():
    """The experiments that need several jobs."""
    of = config["experiments"]
    return [name for name, experiment in of.items() if get_share(experiment) > 1]


def get_pattern_of_large():
    """A pattern for the names of these."""
    return "|".join(get_large()) or "no experiments"


#: CPU seconds, as `shakedown plan` counts them, that a job plays of small experiments.
ENOUGH = 30


@cache
def get_seconds(name):
    """CPU seconds that an experiment takes."""
    experiment = config["experiments"][name]
    return experiment["replicates"] * cost.experiment(experiment, SHAPES)[0]


def get_packs():
    """The other experiments, by the job that plays them, which stays short."""
    packs, taken = {}, {}
    for name, experiment in config["experiments"].items():
        if get_share(experiment) <= 1:
            seconds = get_seconds(name)
            fitting = (pack for pack in packs if taken[pack] + seconds <= ENOUGH)
            pack = next(fitting, name)
            packs.setdefault(pack, []).append(name)
            taken[pack] = taken.get(pack, 0) + seconds
    return packs


def get_urgency(names):
    """The priority of a job: the longest start first, so that no core waits for one at the end."""
    return 1 + ceil(sum(map(get_seconds, names)))


def get_urgency_of_chunks():
    """The priority of the jobs of large experiments, which is one for all."""
    large = get_large()
    jobs = sum(ceil(get_share(config["experiments"][name])) for name in large)
    return 1 + get_urgency(large) // max(jobs, 1)


def get_data(names):
    """The data sets of some experiments."""
    of = config["experiments"]
    return sorted({data for name in names for data in of[name]["datasets"]})


def get_table(figure):
    """Which table a figure reads, by its folder."""
    return FIGURE_KINDS.find(config["figures"][figure]["kind"]).table


def get_shown(figure):
    """The experiments that a figure shows."""
    shown = config["figures"][figure]["experiment"]
    return [shown] if isinstance(shown, str) else shown


def get_traced():
    """The experiments whose every submission a figure shows."""
    names = [
        name
        for figure in config["figures"]
        if get_table(figure) == "traces"
        for name in get_shown(figure)
    ]
    return sorted(set(names))


def get_traced_games():
    """What is traced of each of these experiments: its first replicates, in all its designs."""
    of = config["experiments"]
    return {
        name: get_games(
            [name], replicates=min(of[name]["traced"], of[name]["replicates"])
        )[name]
        for name in get_traced()
    }


def get_released():
    """Entries whose predictions are released again and again."""
    return dict(sorted(config["release_variability"].items()))


def get_released_data():
    """The data sets of these."""
    return sorted({entry["dataset"] for entry in get_released().values()})


def get_wanted():
    """What of each experiment's settings its outcomes are held against."""
    keys = ("datasets", "designs", "metric", "replicates")
    return {
        name: {key: experiment[key] for key in keys}
        for name, experiment in config["experiments"].items()
    }
