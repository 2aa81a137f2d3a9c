include: "../functions/dryrun.smk"


rule play_lane:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
    output:
        outcomes="<results>/lanes/{lane}.parquet",
        stopped="<results>/lanes/{lane}.json",
    log:
        "<logs>/play_lane/{lane}.log",
    benchmark:
        "<benchmarks>/play_lane/{lane}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        seconds=get_lane_seconds(),
    params:
        settings=get_settings("dryrun", without=("days", "honest_replicates")),
        seed=config["seed"],
        code=library_digest("play_lane"),
    message:
        "Playing attacks against the boards, lane {wildcards.lane}"
    script:
        "../scripts/play_lane.py"


rule estimate_limits:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
        lanes=collect("<results>/lanes/{lane}.parquet", lane=get_lanes()),
    output:
        limits=report(
            "<results>/limits.csv",
            caption="../report/limits.rst",
            category="Tables",
            labels={"table": "limits"},
        ),
        frontier="<results>/frontier.csv",
    log:
        "<logs>/estimate_limits.log",
    benchmark:
        "<benchmarks>/estimate_limits.tsv"
    resources:
        mem_mb=2000,
    params:
        settings=get_settings(
            "dryrun", only=("metric", "thresholds", "quantile", "submissions")
        ),
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
    benchmark:
        "<benchmarks>/measure_usefulness.tsv"
    resources:
        mem_mb=2000,
    params:
        settings=get_settings(
            "dryrun", only=("metric", "mechanisms", "thresholds", "honest_replicates")
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
        settings=config["dryrun"],
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_dryrun"),
    message:
        "Drawing limits, frontier and usefulness"
    script:
        "../scripts/draw_dryrun.py"


rule build_page:
    input:
        data=f"<results>/datasets/{get_challenge()}.npz",
        stopped=collect("<results>/lanes/{lane}.json", lane=get_lanes()),
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
        code=library_digest("build_page"),
    message:
        "Writing the page"
    script:
        "../scripts/build_page.py"
