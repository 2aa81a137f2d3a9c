"""How claims are counted."""

import pandas as pd

from shakedown.claims.verdicts import tally, verdicts

ROWS = pd.DataFrame(
    [
        ("statistical", "[C] Fig. 2", "yes", "yes"),
        ("statistical", "[C] Fig. 3", "no", "yes"),
        ("statistical", "[Z] section 3", "no", "no"),
        ("statistical", "[Z] section 3", "yes", None),
        ("arithmetic", "[C] Methods", "yes", "yes"),
        ("carried over", "ours, on real data", "not run", None),
    ],
    columns=["kind", "source", "holds", "certain"],
)


def test_what_replicates_cannot_tell_is_undecided():
    assert verdicts(ROWS).tolist() == [
        *("holds", "fails", "undecided", "undecided", "holds", "not run"),
    ]


def test_claims_are_counted_by_kind_and_paper():
    counts = tally(ROWS).to_dict("index")
    assert counts[("statistical", "[C]")] == {
        "holds": 1,
        "fails": 1,
        "undecided": 0,
        "not run": 0,
        "all": 2,
    }
    assert counts[("statistical", "[Z]")]["undecided"] == 2
    assert counts[("carried over", "ours")]["not run"] == 1
    assert counts[("arithmetic", "[C]")]["all"] == 1
