include: "../functions/figures.smk"


# A job draws several figures: to start Python takes longer than to draw one.
for sheet, figures in get_sheets().items():

    rule:
        name:
            f"draw_figures_{sheet}"
        input:
            tables=get_figure_tables(figures),
        output:
            svgs=[
                report(
                    f"<results>/figures/{figure}.svg",
                    caption=get_caption(figure),
                    category="Figures",
                    subcategory=sheet,
                    labels={"figure": figure},
                )
                for figure in figures
            ],
            pngs=[f"<results>/figures/{figure}.png" for figure in figures],
            captions=[f"<results>/figures/{figure}.txt" for figure in figures],
        log:
            f"<logs>/draw_figures/{sheet}.log",
        resources:
            mem_mb=1000,
        params:
            settings=[get_figure_settings(figure) for figure in figures],
            study=config["study"],
            seed=config["seed"],
            code=library_digest("draw_figures"),
        message:
            f"Drawing {', '.join(figures)}"
        script:
            "../scripts/draw_figures.py"


# Each figure is a target by its id.
for figure in config["figures"]:

    rule:
        name:
            figure
        input:
            collect(f"<results>/figures/{figure}.{{kind}}", kind=("svg", "png", "txt")),
        message:
            f"The figure lies in results/{config['study']}/figures/{figure}.svg"


# The map of the report as a table.
for figure in get_threat_maps():

    rule:
        name:
            "tabulate_threats"
        input:
            tables=get_figure_tables([figure]),
        output:
            threats="<results>/threats.csv",
        log:
            "<logs>/tabulate_threats.log",
        params:
            settings=config["figures"][figure],
            code=library_digest("tabulate_threats"),
        message:
            "Tabulating how far each attack got against each leaderboard"
        script:
            "../scripts/tabulate_threats.py"
