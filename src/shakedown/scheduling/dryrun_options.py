"""The options of ``shakedown dryrun``."""

#: How missing values are handled.
RULES = "impute_median (default), error, drop_rows or drop_columns"
#: Options of a dry run that take a value: name, placeholder, meaning.
DRYRUN_OPTIONS = (
    ("study", "NAME", "by default the name of the table"),
    ("response-table", "FILE", "a second table with the responses, by the same ids"),
    ("sha256", "DIGITS", "checksum of TABLE, which may then be an https:// address"),
    ("response-table-sha256", "DIGITS", "checksum of the second table"),
    ("classes", "A,B", "names of the response's classes in their order, the positive one last"),
    ("id", "COLUMN", "ids of the rows"),
    ("split", "COLUMN", "the official split: train, public, final"),
    ("sizes", "A,B,C", "rows of the train, public and final sets; by default thirds"),
    ("group", "COLUMN", "rows that belong together, such as the patient of each visit"),
    ("weight", "COLUMN", "what each row weighs in the score, 0 or more"),
    ("event", "COLUMN", "for censored times: 1 if the event was seen, 0 if the row was censored"),
    ("horizons", "A,B", "time points of these at which an event is predicted (integrated_brier)"),
    ("ignore", "A,B", "columns that are not features"),
    ("missing", "RULE", f"missing values: {RULES}"),
    ("metric", "METRIC", "mse (default), rmse, mae, pearson, ..., or an import path"),
    ("threat", "WHO", "adversary (default): whoever submits; modeller: only fitted models"),
    ("require", "KIND", "proved (default), where a board is; measured, by the attacks played"),
    ("thresholds", "A,B", "tolerated overfit, below 0, in units of the metric"),
    ("row-variance", "C", "largest variance of a row's noise, in averages; 1 (default): all equal"),
    ("group-correlation", "R", "of the noise of two rows of a group, at most; 1 (default)"),
    ("submissions", "N", "number that you want to allow each participant"),
    ("days", "N", "length of the challenge"),
    ("quantile", "Q", "0.25 (default): 1 attacker in 4 overfits more; 0.5: the median attacker"),
    ("minutes", "N", "time for the attacks; more minutes give narrower intervals"),
)
