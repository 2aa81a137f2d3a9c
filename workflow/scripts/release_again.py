"""Score the same predictions of one random split again and again."""

import sys

from shakedown import outcomes
from shakedown.datasets.store import load
from shakedown.splits import Dealer
from shakedown.spread import fitted_predictions, noisy_predictions, released_scores


def main(path_to_data, path_to_spread, *, settings, seed):
    deal = Dealer(load(path_to_data), "splits", seed=seed).deal(0)
    y = deal.y_public
    if settings["models"]:
        predictions = fitted_predictions(deal, settings["models"])
    else:
        predictions = noisy_predictions(y, settings["correlations"], seed=seed)
    frame = released_scores(
        predictions, y, b=settings["b"], replicates=settings["releases"], seed=seed
    )
    outcomes.write(frame, path_to_spread)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.output.spread,
        settings=snakemake.params.settings,
        seed=snakemake.params.seed,
    )
