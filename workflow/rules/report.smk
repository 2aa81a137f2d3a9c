from shakedown.scheduling import study

ANSWERS = {name: f"<results>/{file}" for name, file in study.answers(config).items()}


rule build_report:
    input:
        **ANSWERS,
        summaries=collect(
            "<results>/summary/{experiment}.csv", experiment=config["experiments"]
        ),
        checks="<results>/checks.csv",
        svgs=collect("<results>/figures/{figure}.svg", figure=config["figures"]),
        pngs=collect("<results>/figures/{figure}.png", figure=config["figures"]),
        captions=collect("<results>/figures/{figure}.txt", figure=config["figures"]),
        data=collect("<results>/datasets/{dataset}.npz", dataset=config["datasets"]),
    output:
        page="<results>/report.html",
    log:
        "<logs>/build_report.log",
    resources:
        mem_mb=1000,
    params:
        config=config,
        command=COMMAND,
        code=library_digest("build_report"),
    message:
        "Writing the report"
    script:
        "../scripts/build_report.py"
