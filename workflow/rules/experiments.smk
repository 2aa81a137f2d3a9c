from shakedown.scheduling.experiments import (
    checked_settings,
    chunk_files,
    chunk_games,
    chunk_priority,
    data_of,
    large,
    released,
    released_data,
    small_jobs,
    traced_games,
)
from shakedown.scheduling.figures import traced

TRACED = traced(config)
RELEASED, RELEASED_DATA = released(config), released_data(config)


# Whatever the claims need has a priority: to check them takes long, and meanwhile figures are drawn.
rule play_experiment:
    input:
        data=["<results>/datasets/{dataset}.npz"],
    output:
        outcomes=["<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet"],
    log:
        "<logs>/play_experiment/{experiment}/{dataset}/{design}/{chunk}.log",
    priority: chunk_priority(config, SHAPES)
    threads: 1
    resources:
        mem_mb=lambda wildcards: job_memory(SHAPES, [wildcards.dataset]),
    params:
        games=lambda wildcards: chunk_games(config, **wildcards),
        seed=config["seed"],
        code=library_digest("play_experiments"),
    message:
        "Playing {wildcards.experiment} on {wildcards.dataset} ({wildcards.design}), chunk {wildcards.chunk}"
    script:
        "../scripts/play_experiments.py"


# A job plays several small experiments: to start Python takes longer than to play one.
for job in small_jobs(config, SHAPES):

    rule:
        name:
            f"play_small_{job.name}"
        input:
            data=collect("<results>/datasets/{dataset}.npz", dataset=job.datasets),
        output:
            outcomes=[f"<results>/outcomes/{name}.parquet" for name in job.experiments],
        log:
            f"<logs>/play_experiment/{job.name}.log",
        priority: job.priority
        threads: 1
        resources:
            mem_mb=job.memory,
        params:
            games=job.games,
            seed=config["seed"],
            code=library_digest("play_experiments"),
        message:
            f"Playing {', '.join(job.experiments)}"
        script:
            "../scripts/play_experiments.py"


rule join_outcomes:
    input:
        chunks=lambda wildcards: in_results(chunk_files(config, wildcards.experiment)),
    output:
        outcomes="<results>/outcomes/{experiment}.parquet",
    log:
        "<logs>/join_outcomes/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(large(config)) or "no experiments",
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
        data=collect(
            "<results>/datasets/{dataset}.npz", dataset=data_of(config, TRACED)
        ),
    output:
        traces=collect("<results>/traces/{experiment}.parquet", experiment=TRACED),
    log:
        "<logs>/trace_experiment.log",
    priority: 1
    resources:
        mem_mb=job_memory(SHAPES, data_of(config, TRACED)),
    params:
        games=traced_games(config, TRACED),
        seed=config["seed"],
        code=library_digest("trace_experiment"),
    message:
        f"Tracing every submission of {', '.join(TRACED)}"
    script:
        "../scripts/trace_experiment.py"


rule release_again:
    input:
        data=collect("<results>/datasets/{dataset}.npz", dataset=RELEASED_DATA),
    output:
        releases=collect(
            "<results>/release_variability/{released}.parquet",
            released=RELEASED,
        ),
    log:
        "<logs>/release_again.log",
    priority: 1
    resources:
        mem_mb=job_memory(SHAPES, RELEASED_DATA),
    params:
        recipes=RELEASED_DATA,
        settings=RELEASED,
        seed=config["seed"],
        code=library_digest("release_again"),
    message:
        f"Releasing the same predictions again and again: {', '.join(RELEASED)}"
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
        experiments=checked_settings(config),
        code=library_digest("summarise_outcomes"),
    message:
        "Checking and summarising the outcomes of every experiment"
    script:
        "../scripts/summarise_outcomes.py"
