"""A mechanism, an attack and a metric of a user's own are played, limited, drawn and explained."""

import json
import re
from io import StringIO
from pathlib import Path

import pandas as pd
from matplotlib.text import Text

from shakedown.config import complete
from shakedown.data import read
from shakedown.data.splits import set_sizes
from shakedown.dryrun import plan, thresholds
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.playing import play_share
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.unattacked import (
    attacked_only,
    is_deaf,
    is_idle,
    unattacked,
    with_unattacked,
)
from shakedown.dryrun.usefulness.measure import measure
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.kind import pictured as picture
from shakedown.figures.pages import figures_of
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find
from shakedown.report.dryrun import DryRunContent, render_dryrun
from shakedown.simulation.outcomes import typed


def everything(folder, **changes):
    """Tables, texts of the figures and the words of the page of a dry run."""
    whole = complete(
        {
            "study": "own",
            "datasets": {"toy": {"recipe": "simulated", "rows": 30, "features": 9}},
            "dryrun": {
                "submissions": 10,
                "largest_budget": 10,
                "fewest_replicates": 12,
                "most_replicates": 12,
                "jobs": 1,
                **changes,
            },
        },
        base=folder,
    )
    settings, seed = DryRunEntry(**whole["dryrun"]), whole["seed"]
    challenge, metric = read("toy", whole["datasets"]["toy"], seed=seed), find(settings.metric)
    played, _ = play_share(challenge, settings, 0, 1e9, seed)
    size = thresholds.unit(challenge, metric)
    n_public, tolerated = set_sizes(challenge)["public"], thresholds.tolerated(challenge, settings)
    idle, deaf = is_idle(played, n_public), is_deaf(played, n_public)
    missing, played = unattacked(played, idle, deaf), played[~(idle | deaf)]
    curve = attacked_only(
        frontier(played, quantile=0.5, unit=size, also=[settings.submissions]), missing
    )
    limits = with_unattacked(safe_submissions(curve, tolerated), missing, tolerated, 0.5, n_public)
    curve, limits = (plan.in_own_unit(table, challenge, metric) for table in (curve, limits))
    boards = mechanisms(plan.entries(challenge, settings))
    worth = measure(challenge, metric, boards, replicates=2, seed=seed, unit=size)
    utility, acceptance = (plan.in_own_unit(table, challenge, metric) for table in worth)
    tables = {"frontier": curve, "utility": utility, "acceptance": acceptance}
    tables["limits"] = typed(pd.read_csv(StringIO(limits.to_csv(index=False))))  # as pages do
    recommendation = recommend(
        tables["limits"],
        utility,
        settings=settings,
        threshold=tolerated[0],
        frontier=curve,
    )
    tables["recommendation"] = recommendation = json.loads(json.dumps(recommendation))
    drawn = {}
    for figure in figures_of(
        DRY_RUN_FIGURES, {"submissions": settings.submissions, "threat": settings.threat}
    ):
        shown, caption = picture(figure, tables)
        words = [text.get_text() for text in shown.findobj(Text)]
        drawn[figure.name] = " ".join([*words, caption]).replace("\n", " ")
    content = DryRunContent(
        study="own", dataset="toy", seed=seed, n_features=3, sizes=set_sizes(challenge),
        settings=settings, recommendation=recommendation, limits=tables["limits"], frontier=curve,
    )  # fmt: skip
    page = re.sub(r"<[^>]+>", "", render_dryrun(content).replace("\xa0", " "))
    return tables, drawn, page, size


def test_parts_of_ones_own_stand_everywhere(own, request):
    mine = {"name": "stairs.Stairs", "gamma": [0.1, 0.5], "least": 0.25}
    tables, drawn, page, size = everything(
        Path(request.config.rootpath),
        metric="stairs.Halving",
        mechanisms=[{"name": "full_disclosure"}, mine],
        attacks=["stairs.Echo"],
        # The boards publish no terms, so adversaries do not play against them.
        threat="modeller",
    )
    assert size != 1
    # The step is in the metric's own unit, as the organiser gave it.
    settings = [f"stairs.Stairs(gamma={gamma},least=0.25)" for gamma in (0.1, 0.5)]
    for name in ("frontier", "limits", "utility", "acceptance"):
        assert set(tables[name]["setting"]) == {"full_disclosure", *settings}, name
        read = with_parameters(tables[name])
        assert set(read["gamma"].dropna()) == {0.1, 0.5}
        assert set(read["least"].dropna()) == {0.25}
    limits = tables["limits"]
    assert set(limits["threat"]) == {
        *("modeller", "step_forward", "freedman", "best_of_many", "paper_recipe"),
        # The metric is one of somebody else's, too: what needs only scores plays against it.
        *("adversary", "null_adversary", "holder", "stairs.Echo"),
        *("random_search", "random_search_holder"),
        *("finite_differences", "finite_differences_holder"),
    }
    curve = tables["frontier"]
    probed = curve[(curve["threat"] == "stairs.Echo").to_numpy()]
    assert set(probed["submissions"]) >= {3, 6, 9}
    for kind in ("safe_limits", "frontier_split", "acceptance"):
        assert re.search(r"Staircase board,? γ = 0\.5, least = 0\.25", drawn[kind]), kind
        assert "stairs." not in drawn[kind], kind
    for words in (
        *(
            "Staircase board (γ = 0.1, least = 0.25)",
            "rounded down to a step of its stairs",
            "Height of a step.",
        ),
        *("Echo", "Submits single features", "on single features", "Mean root error"),
    ):
        assert words in page, words
    assert len(tables["recommendation"]["runner_ups"]) >= 2
