"""The studies that the tests of the workflow run."""


def tiny(**changes) -> dict:
    """A study of some seconds: two experiments, two data sets, both attacks, two figures."""
    mechanisms = [
        {"name": "full_disclosure"},
        {"name": "ladder", "alpha": [0.15, 0.5]},
        {"name": "ladderboot", "alpha": 0.15, "b": 10},
        {"name": "fresh_holdout"},
    ]
    config = {
        "study": "tiny",
        "seed": 3,
        "datasets": {
            "sim": {"recipe": "simulated", "rows": 48, "features": 9},
            "sugar": {"recipe": "diabetes"},
        },
        "experiments": {
            "free": {
                "datasets": ["sim", "sugar"],
                "designs": ["splits"],
                "features": 8,
                "attack": {"name": "freedman", "largest_model": 3},
                "replicates": 4,
                "replicates_per_job": 3,
                "mechanisms": mechanisms,
            },
            "step": {
                "datasets": ["sim"],
                "designs": ["permuted"],
                "features": 6,
                "attack": {"name": "step_forward", "iterations": 2},
                "replicates": 4,
                "traced": 3,
                "mechanisms": mechanisms,
            },
        },
        "claims": ["shakedown.claims.chaibub_neto", "shakedown.claims.zheng"],
        "release_variability": {
            "steady": {"dataset": "sim", "correlations": [0.2, 0.9], "releases": 20}
        },
        "sensitivity": {
            "set": {
                "question": "Which data?",
                "variants": {
                    "free": {"experiment": "free", "dataset": "sim", "design": "splits"},
                    "other": {"experiment": "free", "dataset": "sugar", "design": "splits"},
                },
            }
        },
        "figures": {
            "spread": {"kind": "release_variability", "experiment": "steady", "view": "boxes"},
            "dots": {
                "kind": "traces",
                "experiment": "step",
                "dataset": "sim",
                "design": "permuted",
                "mechanism": ["ladder"],
                "alpha": 0.15,
            },
            "boxes": {
                "kind": "boxes",
                "experiment": "free",
                "dataset": "sugar",
                "design": "splits",
                "mechanism": ["ladder"],
            },
        },
    }
    return {**config, **changes}
