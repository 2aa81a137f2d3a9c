"""What to write instead of a metric's name that is not known here but elsewhere."""

from __future__ import annotations

from inspect import signature

#: Ours, by the names of scikit-learn's functions.
_OURS = {
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
}
_SHORT = {
    "r^2": "r2",
    "rsquared": "r2",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_log_error",
    "rmsle": "root_mean_squared_log_error",
    "medae": "median_absolute_error",
}


def hint(name: str) -> str:
    """A sentence, starting with a blank, with what to write; "" if the name is not known.

    It knows scikit-learn's functions and scorers for regression, such as r2, r2_score and
    neg_mean_squared_error.
    """
    from sklearn import metrics  # slow to import

    asked = name.strip().lower().removeprefix("neg_")
    asked = _SHORT.get(asked.replace("_", ""), asked).replace("-", "_").replace(" ", "_")
    for candidate in (f"{asked}{end}" for end in ("", "_score", "_error", "_loss")):
        if candidate in _OURS:
            return f" Write {_OURS[candidate]}."
        function = getattr(metrics, candidate, None)
        # Its metrics of labels and of ranked documents do not fit a numeric response.
        fits = getattr(function, "__module__", "").endswith("_regression")
        if fits and "sample_weight" in signature(function).parameters:
            return f" Write sklearn.metrics.{candidate}."
    return ""
