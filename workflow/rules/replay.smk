rule read_log:
    input:
        files=get_log_files(),
    output:
        log="<results>/log.npz",
        submissions="<results>/submissions.csv",
        messages="<results>/messages.csv",
    log:
        "<logs>/read_log.log",
    resources:
        mem_mb=1000,
    params:
        settings={
            key: value
            for key, value in config["replay"].items()
            if key not in ("mechanisms", "boards")
        },
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
    log:
        "<logs>/replay_log.log",
    benchmark:
        "<benchmarks>/replay_log.tsv"
    resources:
        mem_mb=2000,
    params:
        settings=get_replay(only=("metric", "mechanisms", "boards")),
        seed=config["seed"],
        code=library_digest("replay_log"),
    message:
        "Replaying the submissions on every leaderboard"
    script:
        "../scripts/replay_log.py"
