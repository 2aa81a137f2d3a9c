include: "../functions/experiments.smk"


# Whatever the claims need has a priority: to check them takes long, and meanwhile figures are drawn.
rule play_experiment:
    input:
        data=["<results>/datasets/{dataset}.npz"],
    output:
        outcomes=["<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet"],
    log:
        "<logs>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.log",
    priority: get_urgency_of_chunks()
    threads: 1
    resources:
        mem_mb=get_memory_of_dataset,
    params:
        games=get_chunk_games,
        seed=config["seed"],
        code=library_digest("play_experiments"),
    message:
        "Playing {wildcards.experiment} on {wildcards.dataset} ({wildcards.design}), chunk {wildcards.chunk}"
    script:
        "../scripts/play_experiments.py"


# A job plays several small experiments: to start Python takes longer than to play one.
for pack, names in get_packs().items():

    rule:
        name:
            f"play_small_{pack}"
        input:
            data=collect("<results>/datasets/{dataset}.npz", dataset=get_data(names)),
        output:
            outcomes=[f"<results>/outcomes/{name}.parquet" for name in names],
        log:
            f"<logs>/play_experiment/{pack}.log",
        priority: get_urgency(names)
        threads: 1
        resources:
            mem_mb=get_memory(get_data(names)),
        params:
            games=get_games(names),
            seed=config["seed"],
            code=library_digest("play_experiments"),
        message:
            f"Playing {', '.join(names)}"
        script:
            "../scripts/play_experiments.py"


rule join_outcomes:
    input:
        chunks=lambda wildcards: get_chunks(wildcards.experiment),
    output:
        outcomes="<results>/outcomes/{experiment}.parquet",
    log:
        "<logs>/join_outcomes/{experiment}.log",
    wildcard_constraints:
        experiment=get_pattern_of_large(),
    priority: 1
    resources:
        mem_mb=1000,
    params:
        code=library_digest("join_outcomes"),
    message:
        "Joining the outcomes of {wildcards.experiment}"
    script:
        "../scripts/join_outcomes.py"


# A few replicates of each are traced, so one job does it; the figures of traces are drawn in one too.
rule trace_experiment:
    input:
        data=collect("<results>/datasets/{dataset}.npz", dataset=get_data(get_traced())),
    output:
        traces=collect("<results>/traces/{experiment}.parquet", experiment=get_traced()),
    log:
        "<logs>/trace_experiment.log",
    priority: 1
    resources:
        mem_mb=get_memory(get_data(get_traced())),
    params:
        games=get_traced_games(),
        seed=config["seed"],
        code=library_digest("trace_experiment"),
    message:
        f"Tracing every submission of {', '.join(get_traced())}"
    script:
        "../scripts/trace_experiment.py"


rule release_again:
    input:
        data=collect("<results>/datasets/{dataset}.npz", dataset=get_released_data()),
    output:
        releases=collect(
            "<results>/release_variability/{released}.parquet",
            released=get_released(),
        ),
    log:
        "<logs>/release_again.log",
    priority: 1
    resources:
        mem_mb=get_memory(get_released_data()),
    params:
        recipes={name: config["datasets"][name] for name in get_released_data()},
        settings=get_released(),
        seed=config["seed"],
        code=library_digest("release_again"),
    message:
        f"Releasing the same predictions again and again: {', '.join(get_released())}"
    script:
        "../scripts/release_again.py"


rule summarise_outcomes:
    input:
        outcomes=collect(
            "<results>/outcomes/{experiment}.parquet", experiment=config["experiments"]
        ),
    output:
        summaries=[
            report(
                f"<results>/summary/{experiment}.csv",
                caption="../report/summary.rst",
                category="Tables",
                labels={"experiment": experiment},
            )
            for experiment in config["experiments"]
        ],
        checks="<results>/checks.csv",
        settings="<results>/settings.csv",
    log:
        "<logs>/summarise_outcomes.log",
    resources:
        mem_mb=1000,
    params:
        experiments=get_wanted(),
        code=library_digest("summarise_outcomes"),
    message:
        "Checking and summarising the outcomes of every experiment"
    script:
        "../scripts/summarise_outcomes.py"
