include: "../functions/data.smk"


rule make_dataset:
    input:
        table=get_source,
    output:
        data="<results>/datasets/{dataset}.npz",
    log:
        "<logs>/make_dataset/{dataset}.log",
    # Above that of any game: a long one should not wait for its data while short jobs run.
    priority: 1_000_000
    resources:
        mem_mb=get_memory_of_dataset,
    params:
        recipe=lambda wildcards: config["datasets"][wildcards.dataset],
        seed=config["seed"],
        code=library_digest("make_dataset"),
    message:
        "Making the data set {wildcards.dataset}"
    script:
        "../scripts/make_dataset.py"
