"""The configuration of a dry run on a table.

Everything else is as in the template, and can be edited in the written file.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shakedown.component.keys import LONGEST_ID
from shakedown.config.extending import extended
from shakedown.data.downloads import is_address
from shakedown.interface import Challenge

TEMPLATE = "config/dryrun.yaml"
#: As `metrics.composite_names` has it, which is slow to import.
WEIGHTED = "weighted "


def configuration(
    data: str,
    response: str | list[str] | None,
    base: Path,
    *,
    table: Mapping[str, Any],
    dryrun: Mapping[str, Any],
    study: str | None = None,
) -> dict[str, Any]:
    """The configuration of a dry run on a table.

    Parameters
    ----------
    data : str
        Path or address of the table; its name without suffixes names the data set.
    response : str or list of str, or None
        Names of the response columns, or patterns; None: the columns of the second table.
    base : Path
        Folder of the template.
    table, dryrun : mapping
        Further settings of the table and of the dry run; None values are dropped.  If the table has
        weights, the score is a weighted one; if it has events, it is the concordance index, or with
        horizons the integrated Brier score, unless another one is named.
    study : str, optional
        Name of the study; by default the name of the data set.

    Returns
    -------
    dict
        Extends the template, without the template's data set.

    Raises
    ------
    InputError
        If the template cannot be read.
    """
    path = urlsplit(data).path if is_address(data) else data
    dataset = re.sub(r"\W+", "_", Path(path).name.split(".")[0], flags=re.ASCII)
    dataset = dataset if re.match("[A-Za-z]", dataset) else f"table_{dataset}"
    dataset = dataset[:LONGEST_ID]
    examples = extended({"extends": TEMPLATE}, base)["datasets"]
    recipe = {"recipe": "table", "path": data, **_given({"response": response})}
    if table.get("event") and not dryrun.get("metric"):
        dryrun = {**dryrun, "metric": "integrated_brier" if table.get("horizons") else "c_index"}
    metric = dryrun.get("metric") or "mse"
    if table.get("weight") and not metric.startswith(WEIGHTED):
        dryrun = {**dryrun, "metric": f"{WEIGHTED}{metric}"}
    return {
        "extends": TEMPLATE,
        "study": study or dataset,
        "datasets": {**dict.fromkeys(examples), dataset: {**recipe, **_given(table)}},
        "dryrun": _given(dryrun),
    }


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if value not in (None, "")}


def check(config: Mapping[str, Any], base: Path) -> tuple[Challenge, list[str]]:
    """Check that a dry run can be played: read its table, split it once, make the plan.

    Returns
    -------
    challenge : Challenge
        The table as it is now.
    doubts : list of str
        What is doubtful about the table, such as a feature that gives the response away.

    Raises
    ------
    InputError
        If it cannot, before any job starts.
    """
    # Slow imports: they load the compiler.
    from shakedown import data
    from shakedown.config import complete
    from shakedown.data.censored import check_metric
    from shakedown.data.drawing import check_classes
    from shakedown.data.splits import Splitter
    from shakedown.dryrun.plan import plan
    from shakedown.dryrun.settings import DryRunEntry
    from shakedown.metrics import find

    whole = complete(config, base=base)
    (name,) = whole["datasets"]
    with warnings.catch_warnings(record=True, action="always", category=UserWarning) as caught:
        challenge = data.read(name, whole["datasets"][name], seed=whole["seed"])
    settings = DryRunEntry(**whole["dryrun"])
    metric = find(settings.metric)
    check_metric(metric, challenge)
    check_classes(metric, challenge)
    # Honest participants play on random splits, whatever the metric.
    for design in ("permuted", "splits"):
        Splitter(challenge, design, seed=whole["seed"], n_features=1, metric=metric).split(0)
    plan(challenge, settings)
    return challenge, [str(warning.message) for warning in caught]
