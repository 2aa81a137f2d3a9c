include: "../functions/experiments.smk"


# Whatever the claims need comes first: to check them takes long, and meanwhile figures are drawn.
rule play_experiment:
    input:
        data="<results>/datasets/{dataset}.npz",
    output:
        outcomes="<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet",
    log:
        "<logs>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.log",
    benchmark:
        "<benchmarks>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.tsv"
    priority: 1
    threads: 1
    resources:
        mem_mb=1000,
    params:
        settings=get_game,
        replicates=get_replicates,
        seed=config["seed"],
        code=library_digest("play_experiment"),
    message:
        "Playing {wildcards.experiment} on {wildcards.dataset} ({wildcards.design}), chunk {wildcards.chunk}"
    script:
        "../scripts/play_experiment.py"


rule join_outcomes:
    input:
        chunks=get_chunks,
    output:
        outcomes="<results>/outcomes/{experiment}.parquet",
        summary=report(
            "<results>/summary/{experiment}.csv",
            caption="../report/summary.rst",
            category="Tables",
            labels={"experiment": "{experiment}"},
        ),
    log:
        "<logs>/join_outcomes/{experiment}.log",
    benchmark:
        "<benchmarks>/join_outcomes/{experiment}.tsv"
    priority: 1
    resources:
        mem_mb=1000,
    params:
        settings=get_wanted,
        code=library_digest("join_outcomes"),
    message:
        "Joining and summarising the outcomes of {wildcards.experiment}"
    script:
        "../scripts/join_outcomes.py"


# A replay writes its own.
if config["experiments"]:

    rule list_settings:
        output:
            settings="<results>/settings.csv",
        log:
            "<logs>/list_settings.log",
        params:
            mechanisms=get_mechanisms(),
            code=library_digest("list_settings"),
        message:
            "Listing the settings of every mechanism"
        script:
            "../scripts/list_settings.py"


rule trace_experiment:
    input:
        data=get_datasets,
    output:
        trace="<results>/traces/{experiment}.parquet",
    log:
        "<logs>/trace_experiment/{experiment}.log",
    benchmark:
        "<benchmarks>/trace_experiment/{experiment}.tsv"
    priority: 1
    resources:
        mem_mb=1000,
    params:
        designs=lookup(dpath="experiments/{experiment}/designs", within=config),
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
        mem_mb=1000,
    params:
        recipe=get_released_recipe,
        settings=lookup(dpath="release_variability/{released}", within=config),
        seed=config["seed"],
        code=library_digest("release_again"),
    message:
        "Releasing the same predictions again and again: {wildcards.released}"
    script:
        "../scripts/release_again.py"


rule check_results:
    input:
        outcomes=collect(
            "<results>/outcomes/{experiment}.parquet", experiment=config["experiments"]
        ),
        summaries=collect(
            "<results>/summary/{experiment}.csv", experiment=config["experiments"]
        ),
    output:
        checks="<results>/checks.csv",
    log:
        "<logs>/check_results.log",
    benchmark:
        "<benchmarks>/check_results.tsv"
    resources:
        mem_mb=1000,
    params:
        experiments={name: get_wanted(name) for name in config["experiments"]},
        code=library_digest("check_results"),
    message:
        "Checking the tables of every experiment"
    script:
        "../scripts/check_results.py"
