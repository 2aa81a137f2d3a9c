"""Mutants that change nothing that anybody could call wrong, each with the reason."""

_SLOWER = "The shortcut is left out: one submission after another gives the same, more slowly."
_CHOICE = "How much is tried is a choice; any number is right."
_TRIALS = "Any response and prediction of three spreads will do."
_RENEWED = "When the candidate is chosen again is a choice; the bound holds with any shares."
_DRAWN = "How it is drawn is a choice; nothing else is told, and all of it can be read."
_NO_ROW = "At every number of the grid one of the curves has played, and its row is taken."

#: By name.
SAME: dict[str, str] = {
    "metrics/row_terms.py WeightedLoss.judge: 1.0 -> 1.5": "All shares are 0 then.",
    "metrics/parts.py _weighted: _sums(share, rows) -> _sums(rows, share) #2": (
        "The factors of a product."
    ),
    "theory/boosting.py normal_largest_deviation: 40.0 -> 60.0": (
        "Beyond 40 standard deviations the integrand is 0."
    ),
    "theory/leakage.py _ln_binomial: 0 < k < n -> 0 <= k < n": "ln C(n, 0) is 0 either way.",
    "claims/intervals.py read_off: 1 -> 2": "There are no resamples, or many.",
    "claims/intervals.py band: 1 -> 2 #2": "NumPy takes any negative size as the one to find.",
    "metrics/metric.py Metric.__pydantic_init_subclass__: "
    "super().__pydantic_init_subclass__(**kwargs) -> pass": "The one of pydantic does nothing.",
    "metrics/functions.py trials: 0.5 * spread * rng.standard_normal(30) -> "
    "0.5 * spread / rng.standard_normal(30)": _TRIALS,
    "metrics/functions.py trials: spread * (y - y.mean()) -> spread / (y - y.mean())": _TRIALS,
    "metrics/functions.py trials: 10.0 -> 15.0": _TRIALS,
    'data/splits.py Splitter.__init__: self._fixed_sets() if design == "permuted" else None -> '
    "(self._fixed_sets())": "The design `splits` does not use them.",
    "data/scaling.py _standardise: 1e100 -> 1.5000000000000001e+100": (
        "Below and above, the exact way gives the same numbers."
    ),
    "dryrun/frontier.py _widened: 1.0 -> 1.5": (
        "The middle replaces it; it only keeps 0 times infinity away."
    ),
    "attacks/freedman.py Freedman.for_dry_run: 3 -> 4": _CHOICE,
    "attacks/step_forward.py (module): 8 -> 9": _CHOICE,
    "attacks/jumps.py by hand: gain[top] < penalty -> gain[top] <= penalty": (
        "Gains of noisy scores equal 3 log m with probability 0; without noise it is not used."
    ),
    "leaderboard/gates.py _shown_mean: 0.0 -> 1.0": (
        "Without rounding, the square of the root is the mean but for its last bits, which `less` "
        "leaves out."
    ),
    "dryrun/limits.py is_same: 1e-9 -> 1.5000000000000002e-09": (
        "Any tolerance between the rounding of text files and two thresholds will do."
    ),
    "leaderboard/releases.py Constant.show: np.zeros(len(standing)) -> np.ones(len(standing))": (
        "Any number will do that is the same for every submission."
    ),
    "leaderboard/releases.py FallingBootstrap.show: -1 -> (1)": (
        "Which of several numbers of samples is drawn first is a choice; all are independent."
    ),
    "dryrun/frontier.py (module): 0.65 -> 0.9750000000000001": _RENEWED,
    "dryrun/frontier.py (module): 0.5 -> 0.75": _RENEWED,
    "dryrun/frontier.py _smallest: 1 -> 2 #2": _NO_ROW,
    "dryrun/frontier.py _smallest: -1 -> (1)": _NO_ROW,
    "leaderboard/releases.py Bootstrap.show: 128 -> 129": (
        "How many indices are drawn together is a choice."
    ),
    "leaderboard/releases.py Bootstrap.show: self.b - sqrt(self.b / n)"
    " -> self.b + sqrt(self.b / n)": (
        "Given their sum, counts with any mean are multinomial; it only decides how many are drawn."
    ),
    "leaderboard/stopping.py _rare: exponent >= -np.log(RARE) -> exponent > -np.log(RARE)": (
        "No exponent equals the logarithm of RARE."
    ),
    "theory/caps.py mean_cosine_squared: -np.log(2.0) -> (np.log(2.0))": (
        "It only keeps shares above 1/2 out of a function; they are read off the tangent."
    ),
    "theory/halfspaces.py log_concave_quantile: 60 -> 61": (
        "After 60 halvings the interval is narrower than floating point."
    ),
    "theory/transcripts.py (module): 7 -> 8": (
        "Up to how many updates levels are told apart is a choice; the bound holds either way."
    ),
    "theory/levels.py Sphere.mean: sums + leftover -> sums - leftover": (
        "It is at most 1e-13, less than what rounding moves."
    ),
    "theory/suprema.py supremum: 1 -> 2 #5": (
        "Into how many parts an interval is divided is a choice."
    ),
    "data/splits.py Splitter.scaled_features: position < len(order) -> position <= len(order)": (
        "After the last column there is nothing more to scale."
    ),
    "theory/losses.py fair_labels_accuracy: entropy <= left -> entropy < left": (
        "Halving ends at the same number from either side."
    ),
    'theory/losses.py LabelLoss.budget: checked("constant", gain=gain) -> pass': (
        "`BoundedLoss.budget` checks it too."
    ),
    "theory/searches.py most_nats: 1.0 -> 1.5": "Where a search begins is a choice.",
    "theory/searches.py most_nats: 30 -> 31": "A tenth digit is no other answer.",
    "data/censored.py risk_score: y > 0.0 -> y >= 0.0": "No time is 0.",
    "metrics/times.py _worth: 1.0 -> 1.5 #3": "All pairs count more, and their sum does, too.",
    "replay/games.py _ended: True -> False": "Every team is on every board of a replay.",
    "attacks/label_climb.py PreparedLabelClimb._play_noisy: np.mean(new_scores) < wanted -> "
    "np.mean(new_scores) <= wanted": (
        "Whether a file that gains exactly what was wanted is kept is a choice of the attack."
    ),
    "dryrun/choice.py choose: True -> False": "There is always a margin for each option.",
    "leaderboard/posterior_odds.py (module): 1000 -> 1001": (
        "From how many rows on fewer replications suffice is an assumption; none is exact."
    ),
    "dryrun/published.py _goes_with: np.corrcoef(shown, own) -> np.corrcoef(own, shown)": (
        "A correlation is the same both ways."
    ),
    "leaderboard/scorer.py Scorer.__init__: np.zeros(len(self.y)) -> np.ones(len(self.y))": (
        "It stands for no submission; with an infinite risk it is in no comparison."
    ),
    "dryrun/assumptions/checks/groups.py _alike: 1.0 -> 1.5 #2": (
        "The intraclass correlation is at most 1 anyway."
    ),
    "dryrun/assumptions/checks/unequal_variance.py unequal: 1.0 -> 1.5": (
        "Only chances below the level are kept."
    ),
    "dryrun/assumptions/checks/unequal_variance.py (module): 1e-6 -> 1.5e-06": (
        "Any number between rounding errors and noise will do."
    ),
    "dryrun/assumptions/columns.py _column: 1 -> 2 #2": (
        "Rows without a value get numbers of their own, whichever."
    ),
    "dryrun/assumptions/columns.py (module): 3 -> 4": (
        "Which curve through numbers honest models may miss is a choice."
    ),
    "dryrun/assumptions/sample.py Sample.features: 1 -> 2": (
        "How many features of a table with millions of rows are looked at is a choice."
    ),
    "live/scoring.py _scored: 1 -> 2": "A path of two characters tells nobody anything.",
    "live/scoring.py score: True -> False": (
        "A program that fails has printed no answer, which is an error all the same."
    ),
    "live/alerts.py far_off: np.abs(files.mean(axis=1) - centre) > FAR * usual -> "
    "np.abs(files.mean(axis=1) - centre) >= FAR * usual": (
        "No mean of real numbers is at exactly so many standard deviations."
    ),
    'live/alerts.py alerts_of: None if first is None else pd.Timestamp(first, unit="us", '
    "tz=\"UTC\") -> (pd.Timestamp(first, unit='us', tz='UTC'))": (
        "pandas makes a missing time of None, and no team has registered after it."
    ),
    "figures/curves.py name_ends: room[-1] / 2 -> room[-1] * 2": _DRAWN,
    "figures/curves.py name_ends: 1 -> 2 #9": _DRAWN,
    "figures/heat.py draw_heat: 0.27 -> 0.405": _DRAWN,
    "figures/heat.py draw_heat: ax.tick_params(length=0) -> pass": _DRAWN,
    "figures/gain_by_rows.py gain_by_rows: 0.8 -> 1.2000000000000002": _DRAWN,
    "figures/kinds/traces.py Traces.picture: 1.2 -> 1.7999999999999998": _DRAWN,
    "figures/kinds/traces.py Traces.picture: 2 -> 3": _DRAWN,
    "figures/kinds/growth.py GrowthFigure._set_axes: 0 -> 1": _DRAWN,
    "figures/kinds/growth.py GrowthFigure._set_axes: 1.25 -> 1.875": _DRAWN,
    "attacks/by_levels.py (module): 0.5 -> 0.75": _CHOICE,
    "attacks/resubmission.py passing: 1 -> 2 #2": (
        "Attacks begin at half of the labels; they never meet a loss of nearly 1."
    ),
    "attacks/finite_differences.py PreparedFiniteDifferences._play: 1 : 2 * pairs + 1 : 2 -> "
    "1:(2 * pairs + 1) - 1:2": "The last file with an odd number comes before.",
    "leaderboard/bootstrap/resampling.py poisson_table: 2.0 -> 3.0 #2": (
        "Where a number is kept for certain, the other one of its cell is the same."
    ),
    "leaderboard/bootstrap/bits.py (module): 12 -> 13": "One more coefficient is more exact still.",
    "leaderboard/bootstrap/bits.py side_by_side: words |= _NOT_ZERO -> pass": (
        "A state of zeros has a chance of 2^-256."
    ),
    "leaderboard/bootstrap/sums.py _sums_of_lines.add: True -> False #2": (
        "The number of sums is a power of two, so both halves are equally long."
    ),
    "leaderboard/gates.py Gate.__init_subclass__: super().__init_subclass__(**options) -> pass": (
        "The one of `object` does nothing."
    ),
}
