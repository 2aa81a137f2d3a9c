from shakedown.scheduling.figures import public_rows
from shakedown.scheduling.study import bounded


rule compare_bounds:
    input:
        outcomes=collect(
            "<results>/outcomes/{experiment}.parquet", experiment=bounded(config)
        ),
    output:
        bounds="<results>/bounds.csv",
        tables=collect(
            "<results>/bounds/{experiment}.parquet", experiment=bounded(config)
        ),
    log:
        "<logs>/compare_bounds.log",
    priority: 1  # a job that draws long waits for it
    params:
        rows=public_rows(config),
        delta=lookup(dpath="bounds/delta", within=config, default=None),
        code=library_digest("compare_bounds"),
    message:
        "Comparing what theory guarantees with what attacks reached"
    script:
        "../scripts/compare_bounds.py"
