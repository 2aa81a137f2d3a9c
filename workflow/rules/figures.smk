rule draw_figure:
    input:
        tables=get_figure_tables,
    output:
        svg=report(
            "<results>/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="Figures",
            subcategory=get_figure_experiment,
            labels={"figure": "{figure}"},
        ),
        png="<results>/figures/{figure}.png",
        caption="<results>/figures/{figure}.txt",
    log:
        "<logs>/draw_figure/{figure}.log",
    benchmark:
        "<benchmarks>/draw_figure/{figure}.tsv"
    resources:
        mem_mb=1000,
    params:
        settings=get_figure_settings,
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_figure"),
    message:
        "Drawing the figure {wildcards.figure}"
    script:
        "../scripts/draw_figure.py"


# Each figure is a target by its id.
for figure in config["figures"]:

    rule:
        name:
            figure
        input:
            f"<results>/figures/{figure}.svg",
        message:
            f"The figure lies in results/{config['study']}/figures/{figure}.svg"
