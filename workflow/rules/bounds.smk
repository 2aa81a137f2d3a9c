include: "../functions/bounds.smk"


rule compare_bounds:
    input:
        outcomes=collect(
            "<results>/outcomes/{experiment}.parquet", experiment=get_bounded()
        ),
    output:
        bounds="<results>/bounds.csv",
        tables=collect(
            "<results>/bounds/{experiment}.parquet", experiment=get_bounded()
        ),
    log:
        "<logs>/compare_bounds.log",
    priority: 1  # a job that draws long waits for it
    params:
        rows=get_public_rows(),
        delta=lookup(dpath="bounds/delta", within=config, default=None),
        code=library_digest("compare_bounds"),
    message:
        "Comparing what theory guarantees with what attacks reached"
    script:
        "../scripts/compare_bounds.py"
