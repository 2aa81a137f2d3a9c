from shakedown.data.downloads import local_files
from shakedown.scheduling.resources import job_memory
from shakedown.simulation.cost import shapes

#: Rows and features of each data set, known before it is made.
SHAPES = shapes(config)


rule make_dataset:
    input:
        table=lambda wildcards: local_files(config["datasets"][wildcards.dataset]),
    output:
        data="<results>/datasets/{dataset}.npz",
    log:
        "<logs>/make_dataset/{dataset}.log",
    # Above that of any game: a long one should not wait for its data while short jobs run.
    priority: 1_000_000
    resources:
        mem_mb=lambda wildcards: job_memory(SHAPES, [wildcards.dataset]),
    params:
        recipe=lambda wildcards: config["datasets"][wildcards.dataset],
        seed=config["seed"],
        code=library_digest("make_dataset"),
    message:
        "Making the data set {wildcards.dataset}"
    script:
        "../scripts/make_dataset.py"
