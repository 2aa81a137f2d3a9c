from shakedown.scheduling.study import claim_files, claim_tables


rule check_claims:
    input:
        **{kind: in_results(files) for kind, files in claim_tables(config).items()},
        # The rule needs some even where none are asked for.
        modules=claim_files(config) or ROOT / "Snakefile",
    output:
        claims=report(
            "<results>/claims.csv",
            caption="../report/claims.rst",
            category="Tables",
            labels={"table": "claims"},
        ),
    log:
        "<logs>/check_claims.log",
    priority: 1  # takes longest of what the report waits for
    resources:
        mem_mb=1000,
    params:
        modules=config["claims"],
        seed=config["seed"],
        code=[
            library_digest("check_claims"),
            *(code_digest(file, SRC) for file in claim_files(config)),
        ],
    message:
        "Holding the outcomes against what the paper says"
    script:
        "../scripts/check_claims.py"


rule compare_readings:
    input:
        summaries=collect(
            "<results>/summary/{experiment}.csv", experiment=config["experiments"]
        ),
    output:
        sensitivity="<results>/sensitivity.csv",
    log:
        "<logs>/compare_readings.log",
    params:
        questions=config["sensitivity"],
        code=library_digest("compare_readings"),
    message:
        "Comparing the readings of what the paper leaves open"
    script:
        "../scripts/compare_readings.py"
