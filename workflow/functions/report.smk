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
