"""How claims are counted."""

import pandas as pd

from shakedown.claims.verdicts import tally, verdicts

ROWS = pd.DataFrame(
    [
        ("statistical", "[C] Fig. 2", "yes", "yes", "paper"),
        ("statistical", "[C] Fig. 3", "no", "yes", "ours"),
        ("statistical", "[Z] section 3", "no", "no", "paper"),
        ("statistical", "[Z] section 3", "yes", None, "paper"),
        ("arithmetic", "[C] Methods", "yes", "yes", "paper"),
        ("carried over", "ours, on real data", "not run", None, "ours"),
    ],
    columns=["kind", "source", "holds", "certain", "bound"],
)


def test_what_replicates_cannot_tell_is_undecided():
    assert verdicts(ROWS).tolist() == [
        *("holds", "fails", "undecided", "undecided", "holds", "not run"),
    ]


def test_claims_are_counted_by_kind_and_paper_and_by_who_chose_the_bound():
    counts = tally(ROWS).to_dict("index")
    none = {"holds": 0, "fails": 0, "undecided": 0, "not run": 0, "all": 1}
    assert counts[("statistical", "[C]", "paper")] == none | {"holds": 1}
    assert counts[("statistical", "[C]", "ours")] == none | {"fails": 1}
    assert counts[("statistical", "[Z]", "paper")]["undecided"] == 2
    assert counts[("carried over", "ours", "ours")]["not run"] == 1
    assert counts[("arithmetic", "[C]", "paper")]["all"] == 1
