from snakemake.utils import min_version

min_version("9.19")

# A study's own file stands alone; it says with `extends` if it is to build on another one.
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"


if config["dryrun"]:

    include: "workflow/rules/dryrun.smk"

elif config["replay"]:

    include: "workflow/rules/replay.smk"

elif config["boards"]:

    include: "workflow/rules/boards.smk"

else:

    include: "workflow/rules/experiments.smk"
    include: "workflow/rules/bounds.smk"
    include: "workflow/rules/figures.smk"
    include: "workflow/rules/claims.smk"
    include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        checked_results,
    message:
        f"The study is complete. Its report: results/{config['study']}/report.html"
