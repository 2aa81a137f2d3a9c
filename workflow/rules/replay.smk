from shakedown.scheduling import replay
from shakedown.scheduling.settings import chosen


rule read_log:
    input:
        files=replay.log_files(config),
    output:
        log="<results>/log.npz",
        submissions="<results>/submissions.csv",
        messages="<results>/messages.csv",
        dropped_teams="<results>/dropped_teams.csv",
    log:
        "<logs>/read_log.log",
    resources:
        mem_mb=1000,
    params:
        settings=chosen(
            config["replay"],
            without=(
                "mechanisms",
                "boards",
                "analyses",
                "rank_by",
                "rank_ties",
                "winner",
            ),
        ),
        study=config["study"],
        seed=config["seed"],
        code=library_digest("read_log"),
    message:
        "Reading the submission log"
    script:
        "../scripts/read_log.py"


rule replay_log:
    input:
        log="<results>/log.npz",
    output:
        seen="<results>/seen.parquet",
        standings="<results>/standings.csv",
        settings="<results>/settings.csv",
    log:
        "<logs>/replay_log.log",
    resources:
        mem_mb=2000,
    params:
        settings=chosen(config["replay"], only=("metric", "mechanisms", "boards")),
        seed=config["seed"],
        code=library_digest("replay_log"),
    message:
        "Replaying the submissions on every leaderboard"
    script:
        "../scripts/replay_log.py"


rule analyse_replay:
    input:
        log="<results>/log.npz",
        seen="<results>/seen.parquet",
        standings="<results>/standings.csv",
    output:
        agreement="<results>/agreement.csv",
        ranks="<results>/ranks.csv",
        rank_intervals="<results>/rank_intervals.csv",
        comparisons="<results>/comparisons.csv",
        resolution="<results>/resolution.csv",
        splits="<results>/splits.csv",
        errors="<results>/errors.csv",
        learnt="<results>/learnt.csv",
        average_ranks="<results>/average_ranks.csv",
        by_response="<results>/by_response.csv",
        reported="<results>/reported.parquet",
    log:
        "<logs>/analyse_replay.log",
    resources:
        mem_mb=2000,
    params:
        settings=chosen(
            config["replay"],
            only=("metric", "analyses", "rank_by", "rank_ties", "winner"),
        ),
        seed=config["seed"],
        code=library_digest("analyse_replay"),
    message:
        "Comparing the leaderboards of the replay"
    script:
        "../scripts/analyse_replay.py"


rule draw_replay:
    input:
        seen="<results>/seen.parquet",
        standings="<results>/standings.csv",
        rank_intervals="<results>/rank_intervals.csv",
        splits="<results>/splits.csv",
        reported="<results>/reported.parquet",
    output:
        svgs=[
            report(
                f"<results>/figures/{figure}.svg",
                caption=get_caption(figure),
                category="Figures",
                labels={"figure": figure},
            )
            for figure in replay.FIGURES
        ],
        pngs=collect("<results>/figures/{figure}.png", figure=replay.FIGURES),
        captions=collect("<results>/figures/{figure}.txt", figure=replay.FIGURES),
    log:
        "<logs>/draw_replay.log",
    params:
        purpose="replay",
        settings=chosen(config["replay"], only=("metric", "analyses")),
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_page_figures"),
    message:
        "Drawing the replay"
    script:
        "../scripts/draw_page_figures.py"


rule build_replay_page:
    input:
        log="<results>/log.npz",
        standings="<results>/standings.csv",
        agreement="<results>/agreement.csv",
        ranks="<results>/ranks.csv",
        rank_intervals="<results>/rank_intervals.csv",
        comparisons="<results>/comparisons.csv",
        resolution="<results>/resolution.csv",
        splits="<results>/splits.csv",
        errors="<results>/errors.csv",
        learnt="<results>/learnt.csv",
        average_ranks="<results>/average_ranks.csv",
        by_response="<results>/by_response.csv",
        svgs=collect("<results>/figures/{figure}.svg", figure=replay.FIGURES),
        pngs=collect("<results>/figures/{figure}.png", figure=replay.FIGURES),
        captions=collect("<results>/figures/{figure}.txt", figure=replay.FIGURES),
    output:
        page="<results>/report.html",
    log:
        "<logs>/build_replay_page.log",
    resources:
        mem_mb=1000,
    params:
        config=config,
        command=COMMAND,
        code=library_digest("build_replay_page"),
    message:
        "Writing the page"
    script:
        "../scripts/build_replay_page.py"
