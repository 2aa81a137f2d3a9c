from shakedown.scheduling.figures import (
    figure_settings,
    sheets,
    tables as tables_of,
    threat_maps,
)

# A job draws several figures: to start Python takes longer than to draw one.
for sheet in sheets(config):

    rule:
        name:
            f"draw_figures_{sheet.name}"
        input:
            tables=in_results(sheet.tables),
        output:
            svgs=[
                report(
                    f"<results>/figures/{figure}.svg",
                    caption=get_caption(figure),
                    category="Figures",
                    subcategory=sheet.name,
                    labels={"figure": figure},
                )
                for figure in sheet.figures
            ],
            pngs=[f"<results>/figures/{figure}.png" for figure in sheet.figures],
            captions=[f"<results>/figures/{figure}.txt" for figure in sheet.figures],
        log:
            f"<logs>/draw_figures/{sheet.name}.log",
        resources:
            mem_mb=1000,
        params:
            settings=[figure_settings(config, figure) for figure in sheet.figures],
            study=config["study"],
            seed=config["seed"],
            code=library_digest("draw_figures"),
        message:
            f"Drawing {', '.join(sheet.figures)}"
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
for figure in threat_maps(config):

    rule:
        name:
            "tabulate_threats"
        input:
            tables=in_results(tables_of(config, [figure])),
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
