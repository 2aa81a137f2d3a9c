def get_answers():
    """What the report tells beside the outcomes, where the study asks for it."""
    answers = {}
    if config["claims"]:
        answers["claims"] = "<results>/claims.csv"
    if config["sensitivity"]:
        answers["sensitivity"] = "<results>/sensitivity.csv"
    if config["bounds"]:
        answers["bounds"] = "<results>/bounds.csv"
    if get_threat_maps():
        answers["threats"] = "<results>/threats.csv"
    return answers


def get_results():
    """All files of a study: also those that are read only once, so that a lost one is made again."""
    return [
        *collect("<results>/datasets/{dataset}.npz", dataset=config["datasets"]),
        *[chunk for experiment in get_large() for chunk in get_chunks(experiment)],
        *[path for paths in get_claim_tables().values() for path in paths],
        *rules.summarise_outcomes.output,
        *get_answers().values(),
        *(rules.compare_bounds.output if config["bounds"] else []),
        *get_figure_files(config["figures"]),
        *rules.build_report.output,
    ]
