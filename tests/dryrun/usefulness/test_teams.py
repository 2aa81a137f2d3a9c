"""What boards tell of honest teams: against a literal twin, closed forms, and known figures."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.dryrun.usefulness import teams
from shakedown.dryrun.usefulness.summaries import means, rank_correlation
from shakedown.dryrun.usefulness.teams import STATISTICS, TEAMS, correlations, in_force, when_seen
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from tests.dryrun.usefulness.tables import EVERY_METRIC
from tests.kinds import fitting

#: Chance that a test of known figures fails although the figure is met, each.
FALSE_ALARM = 1e-6
NAMES = [statistic.name for statistic in STATISTICS]
DIGEST = "digest(eta=0.1,floor=0.5,every=10,updates=10)"


def response(rows, seed=0, metric="mse"):
    y = np.random.default_rng(seed).standard_normal(rows)
    y, _ = fitting(find(metric), y, y)
    return (y - y.mean()) / y.std(ddof=1)


def truth(metric="mse"):
    return teams.truth(find(metric), response(500, metric=metric), rng=np.random.default_rng(1))


def served(settings, *, rows=209, seed=0, metric="mse", base=0.5, allowed=100, correlation=0.8):
    statistics = teams.served(
        find(metric), [of_setting(setting) for setting in settings], response(rows, seed, metric),
        truth(metric), base, teams.Participation(allowed, correlation, -0.05),
        partial(stream, 3, seed),
    )  # fmt: skip
    return [dict(zip(NAMES, values, strict=True)) for values in statistics]


#: Board; lag, rank correlation and error of 12 teams with 100 models each on 209 rows, of a
#: simulation with other teams.
KNOWN = {
    "full_disclosure": (None, 0.953, 0.044),
    "ladder(alpha=0.15)+baseline": (0.019, 0.945, 0.043),
    "general_ladder(eta=0.05)+baseline": (None, 0.953, 0.044),
    "general_ladder(eta=0.1)+baseline": (None, 0.946, 0.056),
    "general_ladder(eta=0.1)+baseline+cap(improvements=3)": (None, 0.934, 0.062),
    DIGEST: (0.039, 0.951, 0.057),
    "digest(eta=0.05,floor=0.5,every=10,updates=10)": (0.025, 0.952, 0.044),
    "digest(eta=0.05,floor=0.5,every=20,updates=5)": (0.031, None, None),
    "digest(eta=0.1,floor=0.5,every=100,updates=1)": (0.100, 0.955, None),
}
#: How far other teams may move a figure.
MARGINS = (0.005, 0.01, 0.006)


def test_known_figures():
    """Teams that explain up to 40 % of the variance in the end, by nearly the same model."""
    plays = 24
    statistics = np.array(
        [
            [
                (measured["lag"], measured["team_rank_correlation"], measured["shown_error"])
                for measured in served(KNOWN, seed=play, base=np.sqrt(0.2), correlation=0.98)
            ]
            for play in range(plays)
        ]
    )  # (plays, boards, statistics)
    errors = statistics.std(axis=0, ddof=1) / np.sqrt(plays)
    allowed = MARGINS + stats.t.isf(FALSE_ALARM, plays - 1) * errors
    wanted = np.array(list(KNOWN.values()), float)
    off = np.abs(statistics.mean(axis=0) - wanted)
    assert (np.isnan(wanted) | (off <= allowed)).all(), off - allowed
    lags = statistics.mean(axis=0)[:, 0]
    assert (np.diff(lags[[0, 1, 6, 7, 5, 8]]) > 0).all()


def test_what_is_measured_is_what_is_said():
    """A literal twin, file by file, of boards that draw nothing."""
    metric, allowed, y = find("mse"), 40, response(60)
    boards = ["full_disclosure", "ladder(alpha=0.3)", "general_ladder(eta=0.05)+baseline"]
    boards += ["digest(eta=0.1,floor=0.5,every=7,updates=4)"]
    got = served(boards, rows=60, allowed=allowed, base=0.6)
    known = truth()
    for setting, measured in zip(boards, got, strict=True):
        draws = stream(3, 0, "errors")
        lags, shown, true, waits = [], [], [], []
        for team in range(TEAMS):
            explained = 0.36 + 0.64 / 3 * ((2 * team + 1) / TEAMS - 1)
            fresh = draws.standard_normal((allowed, 60))
            board = Board(Scorer(metric, y), of_setting(setting), partial(stream, 3))
            best = board.shown if np.isfinite(board.shown) else np.inf
            errors, current, standing, gains, reached = fresh[0], 0.0, 0.0, [], []
            for k in range(allowed):
                if k:
                    errors = 0.8 * errors + 0.6 * fresh[k]
                r = np.sqrt(explained * (k + 1) / allowed)
                gains.append(r * r)
                prediction = r * (r * y + np.sqrt(1 - r * r) * errors)
                (score,), (accepted,) = board.submit(prediction[None])
                standing = gains[-1] if accepted else standing
                news = score < best - 1e-9
                if setting.startswith(("full", "digest")):
                    current = standing if news else current
                else:
                    current = standing
                best = min(best, score)
                reached.append(current)
            lags.append(np.mean(np.array(gains) - reached))
            shown.append(best)
            true.append(1 - gains[-1])
            for number in range(1, int(gains[-1] / 0.05 + 1e-9) + 1):
                size = 0.05 * number - 1e-10
                made = next(k for k in range(allowed) if gains[k] >= size)
                seen = [k for k in range(allowed) if reached[k] >= size]
                waits.append((bool(seen), (seen[0] if seen else allowed) - made))
        assert measured["lag"] == pytest.approx(np.mean(lags), abs=1e-3)
        assert measured["shown_error"] == pytest.approx(
            np.sqrt(np.mean(np.subtract(shown, true) ** 2)), abs=1e-3
        )
        assert measured["team_rank_correlation"] == pytest.approx(
            stats.spearmanr(np.round(shown, 9), true)[0]
        )
        assert measured["gains_seen"] == pytest.approx(
            np.mean([seen for seen, _ in waits]), abs=0.02
        )
        assert measured["seen_after"] == pytest.approx(np.mean([w for _, w in waits]), abs=0.5)
    assert known.start == pytest.approx(1.0)


def test_the_scores_of_a_digest_tie_and_ties_share_a_rank():
    """Twelve teams on six levels: a rank for each would be luck."""
    shown = np.array([1.0, 1.0, 1.0, 0.9, 0.9, 0.8, 0.8, 0.8, 0.7, 0.7, 0.6, 0.5])
    shown = np.where(np.arange(12) % 2, shown, shown + 1e-13)  # multiples of .1 in floats
    true = np.linspace(0.97, 0.5, 12)
    exact = stats.spearmanr(np.round(shown, 9), true)[0]
    assert rank_correlation(shown, true) == pytest.approx(exact)
    assert 0.9 < exact < 1.0
    order = np.random.default_rng(0).permutation(12)
    assert rank_correlation(shown[order], true[order]) == pytest.approx(exact)
    (measured,) = served([DIGEST.replace("0.1,", "0.45,")], base=0.6)  # two levels
    assert 0.3 < measured["team_rank_correlation"] < 0.9


def test_a_digest_that_shows_nothing_lags_by_all_that_is_gained():
    """Its one update would come after the last submission."""
    (measured,) = served(["digest(eta=0.1,floor=0.5,every=101,updates=1)"])
    gains = correlations(0.5, 100) ** 2
    assert measured["lag"] == pytest.approx(gains.mean(), abs=1e-3)
    assert measured["team_rank_correlation"] == 0.0
    assert measured["gains_seen"] == 0.0
    assert measured["shown_error"] == pytest.approx(np.sqrt(np.mean(gains[:, -1] ** 2)), abs=5e-3)


def test_submissions_stand_for_those_allowed():
    """A digest of ten updates is the same board for 100 and for 1,000 submissions."""
    few = served([DIGEST])[0]
    many = served([DIGEST.replace("every=10", "every=100")], allowed=1000)[0]
    assert many.pop("seen_after") == pytest.approx(10 * few.pop("seen_after"))
    assert many == few
    assert served(["ladder(alpha=0.15)"], allowed=1)[0]["lag"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.21, 1.0, 3.0])
def test_a_board_in_another_pace(share):
    assert mechanism("ladder", alpha=0.1).in_pace(share).setting == "ladder(alpha=0.1)"
    board = of_setting(DIGEST + "+cap(improvements=4)").in_pace(share)
    assert board.every == max(1, int(10 * share))
    assert (board.updates, board.eta, board.setting[-19:]) == (10, 0.1, "cap(improvements=4)"[-19:])
    days = of_setting("ladder(alpha=0.1)+baseline+cap_per_day(improvements=2,day=20)")
    day = max(1, int(20 * share))
    assert days.in_pace(share).setting.endswith(f"+cap_per_day(improvements=2,day={day})")
    falling = mechanism("adaptive_ladderboot", alpha=0.1, b=8, halving=30).in_pace(share)
    assert (falling.halving, falling.b) == (max(1, int(30 * share)), 8)


def test_the_teams_improve_steadily_to_equally_spaced_ends():
    r = correlations(0.5, 80)
    explained = r**2
    assert r.shape == (TEAMS, 80)
    np.testing.assert_allclose(np.diff(explained, 2), 0, atol=1e-12)
    np.testing.assert_allclose(np.diff(explained[:, -1], 2), 0, atol=1e-12)
    assert explained[:, -1].mean() == pytest.approx(0.25)
    assert explained[:, -1].min() == pytest.approx(0.25 / TEAMS)
    better = correlations(np.sqrt(0.7), 80)[:, -1] ** 2
    assert 0.6 < better.min() < better.max() < 0.8
    for base in (0.1, 0.95, 0.99):
        assert correlations(base, 50).max() <= np.sqrt(0.97)
        assert correlations(base, 50).min() > 0


def test_the_submission_in_force():
    risks = np.array([0.9, 0.95, 0.8, 0.8, 0.85])
    accepted = np.array([True, False, True, True, False])
    ladder, full = mechanism("ladder", alpha=0.1), mechanism("full_disclosure")
    assert in_force(ladder, risks, accepted, np.nan).tolist() == [0, 0, 2, 3, 3]
    every = np.ones(5, bool)
    assert in_force(full, risks, every, np.nan).tolist() == [0, 0, 2, 2, 2]
    none = np.array([False, False, True, False, False])
    assert in_force(ladder, risks, none, 1.0).tolist() == [-1, -1, 2, 2, 2]
    shown = np.array([1.0, 1.0, 0.8, 0.8, 0.7])  # the second is accepted, and shown by the third
    accepted = np.array([False, True, False, True, False])
    assert in_force(of_setting(DIGEST), shown, accepted, 1.0).tolist() == [-1, -1, 1, 1, 3]


def test_when_gains_are_seen():
    gains = np.array([0.02, 0.05, 0.09, 0.1, 0.16])
    reached = np.array([0.0, 0.02, 0.05, 0.05, 0.11])
    assert when_seen(gains, reached, 0.05) == [(True, 1), (True, 1), (False, 1)]
    assert when_seen(gains, gains, 0.05) == [(True, 0)] * 3
    assert when_seen(gains, 0 * gains, 0.2) == []


@pytest.mark.parametrize("metric", EVERY_METRIC)
def test_every_metric_has_its_true_scores(metric):
    known = truth(metric)
    assert (np.diff(known.gains) >= 0).all()
    assert known.gains[-1] > 0.2
    boards = ["full_disclosure", "digest(eta=0.05,floor=0.5,every=10,updates=10)"]
    if find(metric).larger_is_better:
        boards[1] = boards[1].replace("floor=0.5", "floor=0.9")
    elif metric in ("log_loss", "ordered_mae"):  # a constant has about .7
        boards[1] = boards[1].replace("floor=0.5", "floor=0.1")
    exact, digest = served(boards, metric=metric, base=0.7)
    assert 0 <= exact["lag"] < digest["lag"] < known.gain(0.9)
    assert exact["team_rank_correlation"] > 0.7
    assert exact["shown_error"] < 0.15
    assert 0.5 < digest["gains_seen"] <= 1


@pytest.mark.parametrize(
    ("metric", "formula"),
    [
        ("mse", lambda r: r * r),
        ("pearson", lambda r: r),
        ("rmse", lambda r: 1 - np.sqrt(1 - r * r)),
    ],
)
def test_true_gains_in_closed_form(metric, formula):
    r = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(truth(metric).gain(r), formula(r), atol=3e-3)
    scores = truth(metric).score(truth(metric).gain(r))
    whole = {"mse": 1 - r * r, "pearson": r, "rmse": np.sqrt(1 - r * r)}[metric]
    np.testing.assert_allclose(scores, whole, atol=3e-3)


def test_teams_that_gain_too_little_have_no_gain_to_see():
    (measured,) = served(["full_disclosure"], base=0.1)
    assert np.isnan(measured["gains_seen"])
    assert np.isnan(measured["seen_after"])


def test_slow_boards_play_the_first_replicates():
    def played(setting, metric, replicates=40, times=1.0):
        board, metric = of_setting(setting), find(metric)
        return [teams.is_played(board, metric, k, replicates, times) for k in range(replicates)]

    assert played("full_disclosure", "mse") == [True] * 10 + [False] * 30
    assert sum(played("bayesboot_ladder(posterior_odds=3)", "pearson")) == 4
    assert sum(played("full_disclosure", "sklearn.metrics.r2_score")) == 2
    assert sum(played("full_disclosure", "mse", times=2.0)) == 20
    assert sum(played("full_disclosure", "mse", 2)) == 2


def test_means_and_intervals():
    values = np.array([[0.1, 0.9, 0.3, 2.0, 5.0, 0.5, 0.1], [0.3, 1.0, 0.5, np.nan, 7.0, 0.6, 0.1]])
    row = means(values, STATISTICS, 10.0)
    assert row["lag"] == pytest.approx(2.0)
    low, high = stats.t.interval(0.95, 1, 6.0, stats.sem([5.0, 7.0]))
    assert row["seen_after_low"] == max(low, 0) == 0
    assert row["seen_after_high"] == pytest.approx(high)
    assert row["team_rank_correlation_high"] == 1.0
    assert row["gains_seen"] == 2.0
    assert np.isnan(row["gains_seen_low"])
    assert np.isnan(means(np.full((3, 7), np.nan), STATISTICS, 1.0)["lag"])


def test_each_score_under_full_disclosure_is_an_answer():
    """Its error is that of a mean squared error on n rows, about its value times sqrt(2 / n)."""
    n, plays = 200, 40
    got = [served(["full_disclosure"], rows=n, seed=seed)[0] for seed in range(plays)]
    assert {measured["answered"] for measured in got} == {1.0}
    squares = (1.0 - correlations(0.5, 100) ** 2) ** 2 * 2.0 / n
    # Public rows are standardised, which takes from the error what the response's variance adds.
    error = np.mean([measured["answer_error"] ** 2 for measured in got])
    assert 0.1 * squares.mean() < error < squares.mean()


def test_answers_of_a_digest_are_its_updates():
    """Ten updates in 100 submissions, of which those are news that lower the level."""
    (few,) = served([DIGEST], rows=500, base=0.9)
    assert 0.03 <= few["answered"] <= 0.1
    # Levels of .1, rounded to the worse side.
    assert 0.03 < few["answer_error"] < 0.12


def test_accepted_files_are_the_answers_of_a_ladder():
    (exact,) = served(["general_ladder(eta=0.05)"], rows=500, base=0.8)
    # A gain of (.8^2 + a third of what is left) at most, in steps of more than .05.
    assert 0.01 < exact["answered"] < 0.2


def test_noise_on_an_old_score_is_no_answer():
    plain, noisy = served(["ladder(alpha=0.15)", "ladderboot(alpha=0.15,b=10)"], rows=500)
    assert noisy["answered"] == pytest.approx(plain["answered"], abs=0.03)
    assert noisy["answer_error"] > plain["answer_error"]


def test_a_metered_board_answers_each_file():
    (metered,) = served(["metered(gain=0.05,files=100)"], rows=500)
    (exact,) = served(["full_disclosure"], rows=500)
    assert metered["answered"] == 1.0
    assert metered["answer_error"] > exact["answer_error"]


def test_a_board_that_shows_nothing_has_no_answers():
    (measured,) = served(["constant_board"])
    assert measured["answered"] <= 0.01


def test_a_gain_is_reached_by_a_correlation():
    r, gains = np.array([0.1, 0.3, 0.5, 0.9]), np.array([0.0, 0.0, 0.2, 0.5])
    known = teams.TrueScores(find("mse"), r, gains, 1.0)
    assert [known.reached(gain) for gain in (0.1, 0.2, 0.5, 0.6)] == pytest.approx(
        [0.4, 0.5, 0.9, 0.9]
    )
    assert known.reached(-0.1) == 0.1
