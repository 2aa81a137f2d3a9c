def get_log_files():
    """The files of a submission log."""
    log = config["replay"]
    named = [log["table"], log["submissions"]]
    if isinstance(log["public"], str) and os.path.isfile(log["public"]):
        named.append(log["public"])
    files = [os.path.expanduser(path) for path in named if path]
    if log["folder"]:
        folder = Path(log["folder"]).expanduser()
        files += sorted(
            str(p)
            for p in folder.iterdir()
            if p.is_file() and not p.name.startswith(".")
        )
    return files


def get_replay_figures():
    """The figures of a replay."""
    kinds = ("ranks", "scores", "splits", "rungs", "error")
    return [f"replay_{kind}" for kind in kinds]


def get_results():
    """All files of a replay."""
    return [
        *rules.read_log.output,
        *rules.replay_log.output,
        *rules.analyse_replay.output,
        *get_figure_files(get_replay_figures()),
        *rules.build_replay_page.output,
    ]
