"""The claims ledger: what the paper says, and whether a study agrees.

A claim is checked in three lines::

    claims = load("workflow/claims.yaml")
    tables = Tables(outcomes={"freedman": "results/default/outcomes/freedman.parquet"})
    evaluate(claims, tables, seed=1)
"""

from shakedown.claims.evaluation import evaluate
from shakedown.claims.ledger import Claim, load
from shakedown.claims.tables import Tables

__all__ = ["Claim", "Tables", "evaluate", "load"]
