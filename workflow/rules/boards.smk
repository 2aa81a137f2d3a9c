from shakedown.scheduling import comparison
from shakedown.scheduling.settings import chosen


# The largest first, as one of them takes half of the time on two cores.
rule compare_boards:
    output:
        cell="<results>/cells/{rows}_{submissions}.parquet",
    log:
        "<logs>/compare_boards/{rows}_{submissions}.log",
    wildcard_constraints:
        rows=r"\d+",
        submissions=r"\d+",
    priority: lambda wildcards: int(wildcards.rows) * int(wildcards.submissions)
    threads: 1
    resources:
        mem_mb=lambda wildcards: comparison.cell_memory(
            int(wildcards.rows), int(wildcards.submissions)
        ),
    params:
        settings=chosen(config["boards"], without=("rows", "submissions")),
        seed=config["seed"],
        code=library_digest("compare_boards"),
    message:
        "Comparing boards with {wildcards.rows} public rows and {wildcards.submissions} submissions"
    script:
        "../scripts/compare_boards.py"


rule join_boards:
    input:
        cells=in_results(comparison.cell_files(config)),
    output:
        boards=report(
            "<results>/boards.csv",
            caption="../report/boards.rst",
            category="Tables",
            labels={"table": "boards"},
        ),
    log:
        "<logs>/join_boards.log",
    params:
        code=library_digest("join_boards"),
    message:
        "Joining what was found of each board"
    script:
        "../scripts/join_boards.py"


rule draw_lags:
    input:
        boards="<results>/boards.csv",
    output:
        svg=report(
            f"<results>/figures/{comparison.FIGURE}.svg",
            caption=get_caption(comparison.FIGURE),
            category="Figures",
            labels={"figure": comparison.FIGURE},
        ),
        png=f"<results>/figures/{comparison.FIGURE}.png",
        caption=f"<results>/figures/{comparison.FIGURE}.txt",
    log:
        "<logs>/draw_lags.log",
    params:
        tolerated=config["boards"]["tolerated"],
        study=config["study"],
        seed=config["seed"],
        code=library_digest("draw_lags"),
    message:
        "Drawing the lag on each board"
    script:
        "../scripts/draw_lags.py"


rule build_boards_page:
    input:
        boards="<results>/boards.csv",
        svgs=[f"<results>/figures/{comparison.FIGURE}.svg"],
        captions=[f"<results>/figures/{comparison.FIGURE}.txt"],
    output:
        page="<results>/report.html",
    log:
        "<logs>/build_boards_page.log",
    params:
        config=config,
        code=library_digest("build_boards_page"),
    message:
        "Writing the page"
    script:
        "../scripts/build_boards_page.py"
