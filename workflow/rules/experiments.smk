include: "../functions/experiments.smk"


# Whatever the claims need has a priority: to check them takes long, and meanwhile figures are drawn.
rule play_experiment:
    input:
        data=["<results>/datasets/{dataset}.npz"],
    output:
        outcomes=["<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet"],
    log:
        "<logs>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.log",
    benchmark:
        "<benchmarks>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.tsv"
    priority: 1 + ENOUGH
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
            data=get_datasets(pack),
        output:
            outcomes=[f"<results>/outcomes/{name}.parquet" for name in names],
        log:
            f"<logs>/play_experiment/{pack}.log",
        benchmark:
            f"<benchmarks>/play_experiment/{pack}.tsv"
        priority: get_urgency(names)
        threads: 1
        resources:
            mem_mb=get_memory(config["experiments"][pack]["datasets"]),
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
    benchmark:
        "<benchmarks>/join_outcomes/{experiment}.tsv"
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


rule trace_experiment:
    input:
        data=get_traced_data,
    output:
        trace="<results>/traces/{experiment}.parquet",
    log:
        "<logs>/trace_experiment/{experiment}.log",
    benchmark:
        "<benchmarks>/trace_experiment/{experiment}.tsv"
    priority: 1
    resources:
        mem_mb=get_memory_of_experiment,
    params:
        designs=get_designs,
        settings=get_game,
        replicates=get_traced,
        seed=config["seed"],
        code=library_digest("trace_experiment"),
    message:
        "Tracing every submission of {wildcards.experiment}, {params.replicates} replicate(s)"
    script:
        "../scripts/trace_experiment.py"


rule release_again:
    input:
        data=get_released_data,
    output:
        releases="<results>/release_variability/{released}.parquet",
    log:
        "<logs>/release_again/{released}.log",
    benchmark:
        "<benchmarks>/release_again/{released}.tsv"
    priority: 1
    resources:
        mem_mb=get_memory_of_released,
    params:
        recipe=get_released_recipe,
        settings=lookup(dpath="release_variability/{released}", within=config),
        seed=config["seed"],
        code=library_digest("release_again"),
    message:
        "Releasing the same predictions again and again: {wildcards.released}"
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
    benchmark:
        "<benchmarks>/summarise_outcomes.tsv"
    resources:
        mem_mb=1000,
    params:
        experiments=get_wanted(),
        code=library_digest("summarise_outcomes"),
    message:
        "Checking and summarising the outcomes of every experiment"
    script:
        "../scripts/summarise_outcomes.py"
