from shakedown.scheduling import dryrun
from shakedown.scheduling.settings import chosen

CHALLENGE = dryrun.challenge(config)


rule play_share:
    input:
        data=f"<results>/datasets/{CHALLENGE}.npz",
    output:
        outcomes="<results>/jobs/{job}.parquet",
        stopped="<results>/jobs/{job}.json",
    log:
        "<logs>/play_share/{job}.log",
    threads: 1
    resources:
        mem_mb=2 * job_memory(SHAPES, [CHALLENGE]),
        # A resource, as another machine plays nothing again.
        seconds=dryrun.job_seconds(config, cores=workflow.cores or 1),
    params:
        settings=chosen(
            config["dryrun"], without=("days", "honest_replicates", "require")
        ),
        seed=config["seed"],
        code=library_digest("play_share"),
    message:
        "Playing attacks against the leaderboards, job {wildcards.job}"
    script:
        "../scripts/play_share.py"


rule estimate_limits:
    input:
        data=f"<results>/datasets/{CHALLENGE}.npz",
        jobs=collect(
            "<results>/jobs/{job}.parquet", job=range(config["dryrun"]["jobs"])
        ),
    output:
        limits=report(
            "<results>/limits.csv",
            caption="../report/limits.rst",
            category="Tables",
            labels={"table": "limits"},
        ),
        frontier="<results>/frontier.csv",
        settings="<results>/settings.csv",
    log:
        "<logs>/estimate_limits.log",
    resources:
        mem_mb=2 * job_memory(SHAPES, [CHALLENGE]),
    params:
        settings=chosen(
            config["dryrun"],
            only=(
                "metric",
                "thresholds",
                "quantile",
                "submissions",
                "accounts",
                "row_variance",
                "group_correlation",
            ),
        ),
        seed=config["seed"],
        code=library_digest("estimate_limits"),
    message:
        "Estimating how many submissions are safe"
    script:
        "../scripts/estimate_limits.py"


rule measure_usefulness:
    input:
        data=f"<results>/datasets/{CHALLENGE}.npz",
    output:
        utility="<results>/utility.csv",
        acceptance="<results>/acceptance.csv",
        final_rows="<results>/final_rows.csv",
    log:
        "<logs>/measure_usefulness.log",
    resources:
        mem_mb=2 * job_memory(SHAPES, [CHALLENGE]),
    params:
        settings=chosen(
            config["dryrun"],
            only=(
                "metric",
                "mechanisms",
                "thresholds",
                "submissions",
                "accounts",
                "row_variance",
                "group_correlation",
                "quantile",
                "honest_replicates",
            ),
        ),
        seed=config["seed"],
        code=library_digest("measure_usefulness"),
    message:
        "Measuring how well honest participants are served"
    script:
        "../scripts/measure_usefulness.py"


rule recommend:
    input:
        data=f"<results>/datasets/{CHALLENGE}.npz",
        limits="<results>/limits.csv",
        frontier="<results>/frontier.csv",
        utility="<results>/utility.csv",
        final_rows="<results>/final_rows.csv",
    output:
        recommendation="<results>/recommendation.json",
    log:
        "<logs>/recommend.log",
    params:
        settings=config["dryrun"],
        code=library_digest("recommend"),
    message:
        "Choosing a leaderboard"
    script:
        "../scripts/recommend.py"


rule draw_dryrun:
    input:
        limits="<results>/limits.csv",
        frontier="<results>/frontier.csv",
        utility="<results>/utility.csv",
        acceptance="<results>/acceptance.csv",
        recommendation="<results>/recommendation.json",
    output:
        svgs=[
            report(
                f"<results>/figures/{figure}.svg",
                caption=get_caption(figure),
                category="Figures",
                labels={"figure": figure},
            )
            for figure in dryrun.FIGURES
        ],
        pngs=collect("<results>/figures/{figure}.png", figure=dryrun.FIGURES),
        captions=collect("<results>/figures/{figure}.txt", figure=dryrun.FIGURES),
    log:
        "<logs>/draw_dryrun.log",
    params:
        purpose="dryrun",
        settings=chosen(config["dryrun"], only=("submissions", "threat")),
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_page_figures"),
    message:
        "Drawing limits, frontier and usefulness"
    script:
        "../scripts/draw_page_figures.py"


rule build_page:
    input:
        data=f"<results>/datasets/{CHALLENGE}.npz",
        stopped=collect(
            "<results>/jobs/{job}.json", job=range(config["dryrun"]["jobs"])
        ),
        limits="<results>/limits.csv",
        frontier="<results>/frontier.csv",
        utility="<results>/utility.csv",
        acceptance="<results>/acceptance.csv",
        recommendation="<results>/recommendation.json",
        svgs=collect("<results>/figures/{figure}.svg", figure=dryrun.FIGURES),
        pngs=collect("<results>/figures/{figure}.png", figure=dryrun.FIGURES),
        captions=collect("<results>/figures/{figure}.txt", figure=dryrun.FIGURES),
    output:
        page="<results>/report.html",
    log:
        "<logs>/build_page.log",
    resources:
        mem_mb=1000,
    params:
        config=config,
        command=COMMAND,
        config_path=get_config_file(),
        code=library_digest("build_page"),
    message:
        "Writing the page"
    script:
        "../scripts/build_page.py"
