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


def get_traced(wildcards):
    """How many replicates of an experiment are traced."""
    experiment = config["experiments"][wildcards.experiment]
    return min(experiment["traced"], experiment["replicates"])


def get_released_data(wildcards):
    """The data set whose predictions are released again and again."""
    return f"<results>/datasets/{config['release_variability'][wildcards.released]['dataset']}.npz"


def get_released_recipe(wildcards):
    """The recipe of that data set, which makes another one for each further draw."""
    return config["datasets"][
        config["release_variability"][wildcards.released]["dataset"]
    ]


def get_wanted(wildcards_or_name):
    """What of an experiment's settings its tables are held against."""
    name = getattr(wildcards_or_name, "experiment", wildcards_or_name)
    experiment = config["experiments"][name]
    return {
        key: experiment[key] for key in ("datasets", "designs", "metric", "replicates")
    }


def get_mechanisms():
    """The mechanisms of each experiment, as the configuration lists them."""
    return [experiment["mechanisms"] for experiment in config["experiments"].values()]
