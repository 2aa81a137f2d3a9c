include: "../functions/dryrun.smk"


rule play_share:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
    output:
        outcomes="<results>/jobs/{job}.parquet",
        stopped="<results>/jobs/{job}.json",
    log:
        "<logs>/play_share/{job}.log",
    threads: 1
    resources:
        mem_mb=2 * get_memory([get_challenge()]),
        seconds=get_job_seconds(),
    params:
        settings=get_settings("dryrun", without=("days", "honest_replicates")),
        seed=config["seed"],
        code=library_digest("play_share"),
    message:
        "Playing attacks against the boards, job {wildcards.job}"
    script:
        "../scripts/play_share.py"


rule estimate_limits:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
        jobs=collect("<results>/jobs/{job}.parquet", job=get_jobs()),
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
        mem_mb=2 * get_memory([get_challenge()]),
    params:
        settings=get_settings(
            "dryrun",
            only=("metric", "thresholds", "quantile", "submissions", "accounts"),
        ),
        seed=config["seed"],
        code=library_digest("estimate_limits"),
    message:
        "Estimating how many submissions are safe"
    script:
        "../scripts/estimate_limits.py"


rule measure_usefulness:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
    output:
        utility="<results>/utility.csv",
        acceptance="<results>/acceptance.csv",
    log:
        "<logs>/measure_usefulness.log",
    resources:
        mem_mb=2 * get_memory([get_challenge()]),
    params:
        settings=get_settings(
            "dryrun",
            only=(
                "metric",
                "mechanisms",
                "thresholds",
                "submissions",
                "accounts",
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
        data=f"<results>/datasets/{get_challenge()}.npz",
        limits="<results>/limits.csv",
        frontier="<results>/frontier.csv",
        utility="<results>/utility.csv",
    output:
        recommendation="<results>/recommendation.json",
    log:
        "<logs>/recommend.log",
    params:
        settings=config["dryrun"],
        code=library_digest("recommend"),
    message:
        "Choosing a board"
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
            for figure in get_pictures()
        ],
        pngs=collect("<results>/figures/{figure}.png", figure=get_pictures()),
        captions=collect("<results>/figures/{figure}.txt", figure=get_pictures()),
    log:
        "<logs>/draw_dryrun.log",
    params:
        purpose="dryrun",
        settings=get_settings("dryrun", only=("submissions", "threat")),
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_page_figures"),
    message:
        "Drawing limits, frontier and usefulness"
    script:
        "../scripts/draw_page_figures.py"


rule build_page:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
        stopped=collect("<results>/jobs/{job}.json", job=get_jobs()),
        limits="<results>/limits.csv",
        frontier="<results>/frontier.csv",
        utility="<results>/utility.csv",
        acceptance="<results>/acceptance.csv",
        recommendation="<results>/recommendation.json",
        svgs=collect("<results>/figures/{figure}.svg", figure=get_pictures()),
        pngs=collect("<results>/figures/{figure}.png", figure=get_pictures()),
        captions=collect("<results>/figures/{figure}.txt", figure=get_pictures()),
    output:
        page="<results>/report.html",
    log:
        "<logs>/build_page.log",
    resources:
        mem_mb=1000,
    params:
        config=config,
        command=figure_command(),
        config_path=get_config_file(),
        code=library_digest("build_page"),
    message:
        "Writing the page"
    script:
        "../scripts/build_page.py"
