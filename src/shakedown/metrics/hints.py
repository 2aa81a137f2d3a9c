"""What to write instead of a metric's name that is not known here but elsewhere."""

from __future__ import annotations

from inspect import signature

#: Ours, by the names that scikit-learn, SciPy and others have for them, without underscores.
_OURS = {
    "meansquarederror": "mse",
    "rootmeansquarederror": "rmse",
    "meanabsoluteerror": "mae",
    "r2": "r2",
    "r2score": "r2",
    "r^2": "r2",
    "r²": "r2",
    "rsquared": "r2",
    "coefficientofdetermination": "r2",
    "normalisedrootmeansquarederror": "nrmse",
    "normalizedrootmeansquarederror": "nrmse",
    "normalisedrmse": "nrmse",
    "normalizedrmse": "nrmse",
    "nrmsd": "nrmse",
    "relativeabsoluteerror": "rae",
    "symmetricmeanabsolutepercentageerror": "smape",
    "symmetricmape": "smape",
    "kendalltau": "kendall",
    "kendalltaub": "kendall",
    "kendallstau": "kendall",
    "kendallstaub": "kendall",
    "cosinesimilarity": "cosine",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    "spearmanrho": "spearman",
    "cindex": "c_index",
    "concordance": "c_index",
    "concordanceindex": "c_index",
    "concordanceindexcensored": "c_index",
    "harrellsc": "c_index",
    "concordanceindexipcw": "uno_c_index",
    "unosc": "uno_c_index",
    "integratedauc": "iauc",
    "cumulativedynamicauc": "iauc",
    "auc": "auroc",
    "aucroc": "auroc",
    "rocauc": "auroc",
    "rocaucscore": "auroc",
    "aucpr": "aupr",
    "auprc": "aupr",
    "prauc": "aupr",
    "averageprecisionscore": "aupr",
    "logloss": "log_loss",
    "crossentropy": "log_loss",
    "binarycrossentropy": "log_loss",
    "brierscore": "brier",
    "brierscoreloss": "brier",
    "ibs": "integrated_brier",
    "integratedbrierscore": "integrated_brier",
    "balancedaccuracyscore": "balanced_accuracy",
    "f1score": "f1",
    "f1macro": "macro_f1",
    "macrof1score": "macro_f1",
    "matthewscorrcoef": "mcc",
    "matthewscorrelation": "mcc",
    "matthewscorrelationcoefficient": "mcc",
    "cohenkappascore": "kappa, whose weights are quadratic",
    "cohenskappa": "kappa, whose weights are quadratic",
    "quadratickappa": "kappa",
    "quadraticweightedkappa": "kappa",
    "qwk": "kappa",
    "accuracyscore": "zero_one, which is 1 - accuracy",
    "zerooneloss": "zero_one",
}
_SHORT = {
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_log_error",
    "rmsle": "root_mean_squared_log_error",
    "medae": "median_absolute_error",
}


def hint(name: str) -> str:
    """A sentence, starting with a blank, with what to write; "" if the name is not known.

    It knows scikit-learn's functions and scorers for regression, such as r2_score and
    neg_mean_squared_error, and usual names of this package's metrics, those of classes too.
    """
    asked = name.strip().lower().removeprefix("neg_").replace("-", "_").replace(" ", "_")
    plain = asked.replace("_", "").replace("'", "")
    for ours in (plain, f"{plain}score", f"{plain}error"):
        if ours in _OURS:
            return f" Write {_OURS[ours]}."

    from sklearn import metrics  # slow to import

    asked = _SHORT.get(plain, asked)
    for candidate in (f"{asked}{end}" for end in ("", "_score", "_error", "_loss")):
        function = getattr(metrics, candidate, None)
        # Its other metrics of labels and of ranked documents do not fit a numeric response.
        fits = getattr(function, "__module__", "").endswith("_regression")
        if fits and "sample_weight" in signature(function).parameters:
            return f" Write sklearn.metrics.{candidate}."
    return ""
