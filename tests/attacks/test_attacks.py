"""The attacks against one statsmodels fit per submission, choice by choice."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, PreparedAttack
from shakedown.attacks.best_of_many import BestOfMany
from shakedown.attacks.freedman import Freedman
from shakedown.attacks.jumps import last_of_known_number
from shakedown.attacks.least_squares import extend
from shakedown.attacks.models import LeastSquares, Regressor, final_model
from shakedown.attacks.step_forward import StepForward, _Averaging, _Rows, needed, recipe
from shakedown.data.scaling import standardised
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import mechanism, mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Receipt, Terms
from tests.attacks.regressors import regressor
from tests.reference import attacks as literal
from tests.reference import mechanisms as boards

DETERMINISTIC = [
    ("full_disclosure", {}, boards.FullDisclosure, "best"),
    ("kaggle", {}, boards.KaggleReference, "best"),
    ("general_ladder", {"eta": 0.02}, boards.GeneralLadder, "exact"),
    ("simplified_ladder", {"eta": 0.02}, boards.SimplifiedLadder, "exact"),
    ("parameter_free_ladder", {}, boards.ParameterFreeLadder, "exact"),
    ("ladder", {"alpha": 0.15}, boards.Ladder, "exact"),
    ("ladder", {"alpha": 0.5}, boards.Ladder, "exact"),
]


def challenge(seed, n=24, p=10):
    """Null data with correlated features, and the public response."""
    rng = np.random.default_rng(seed)
    mix = rng.standard_normal((p, p))
    X = [standardised(mix @ rng.standard_normal((p, n))).T for _ in range(3)]
    y = [standardised(rng.standard_normal((1, n)))[0] for _ in range(2)]
    return ParticipantData(X[0], y[0], X[1], X[2]), y[1]


def against(attack, y_public, name, metric="mse", **settings):
    """The game of a prepared attack against a mechanism, and its session."""
    scorer = Scorer(find(metric), y_public, attack.opening)
    session = Session(scorer, mechanism(name, **settings), partial(stream, 1))
    return attack.play(session.open), session


def released(session):
    """What each batch was shown."""
    return [batch.receipt.released for batch in session.batches]


def accepted(session):
    """What each batch replaced."""
    return [batch.receipt.accepted for batch in session.batches]


@pytest.mark.parametrize(("name", "settings", "twin", "_detector"), DETERMINISTIC)
@pytest.mark.parametrize("seed", range(3))
def test_freedman_selects_and_fits_as_written(name, settings, twin, _detector, seed):
    view, y_public = challenge(seed)
    game, _ = against(
        Freedman(largest_model=6).prepare(view, LeastSquares(), None), y_public, name, **settings
    )
    theirs = literal.freedman(
        view.X_train, view.y_train, view.X_public, view.X_final,
        twin(y_public, "mse", **settings).submit, range(1, 7),
    )  # fmt: skip
    assert game.selected[0].tolist() == theirs[-1]["features"]
    for k, model in enumerate(theirs):
        np.testing.assert_allclose(game.models.public[k], model["public_predictions"], atol=1e-9)
        np.testing.assert_allclose(game.models.final[k], model["final_predictions"], atol=1e-9)
    assert game.models.submissions.tolist() == [10] * 6


def test_freedman_follows_the_direction_of_the_metric():
    view, y_public = challenge(9)
    game, _ = against(
        Freedman(largest_model=4).prepare(view, LeastSquares(), None),
        y_public,
        "full_disclosure",
        "pearson",
    )
    theirs = literal.freedman(
        view.X_train, view.y_train, view.X_public, view.X_final,
        boards.FullDisclosure(y_public, "pearson").submit, [4], larger_is_better=True,
    )  # fmt: skip
    assert game.selected[0].tolist() == theirs[0]["features"]


class Begun(Session):
    """A session whose boards begin with a baseline."""

    def __init__(self, scorer, name, **settings):
        entry = {"name": name, **settings, "defences": [{"name": "baseline"}]}
        super().__init__(scorer, mechanisms([entry])[0], partial(stream, 1))


def begun(twin, y, **settings):
    """A literal board on which the organiser has submitted the mean first."""
    board = twin(y, "mse", **settings)
    board.submit(np.zeros(len(y)))
    return board


@pytest.mark.parametrize(
    ("name", "settings", "twin"),
    [
        ("general_ladder", {"eta": 0.05}, boards.GeneralLadder),
        ("ladder", {"alpha": 0.15}, boards.Ladder),
        ("ladder", {"alpha": 0.5}, boards.Ladder),
    ],
)
@pytest.mark.parametrize("mode", ["fresh", "carried_on"])
def test_step_forward_knows_the_score_that_a_board_begins_with(name, settings, twin, mode):
    """An iteration that the baseline survives has no jump, on a new board too."""
    lengths = set()
    for seed in range(8):
        view, y = challenge(seed)
        prepared = StepForward(iterations=4, iteration_board=mode).prepare(
            view, LeastSquares(), None
        )
        game = prepared.play(Begun(Scorer(find("mse"), y, prepared.opening), name, **settings).open)
        theirs = literal.step_forward(
            view.X_train, view.y_train, view.X_public, view.X_final,
            lambda y=y: begun(twin, y, **settings), 4, iteration_board=mode,
            start=begun(twin, y, **settings).released[0],
        )  # fmt: skip
        chosen = [int(s[0]) if len(s) else None for s in game.selected]
        assert chosen == [r["chosen"] for r in theirs]
        lengths.add(len(chosen) - (chosen[-1] is None))
    assert 0 in lengths
    assert max(lengths) > 0


def test_best_of_many_keeps_no_model_that_the_baseline_beats():
    view, y = challenge(1)
    prepared = BestOfMany(rounds=[3, 6]).prepare(view, LeastSquares(), stream(1))
    strict = Begun(Scorer(find("mse"), y, prepared.opening), "general_ladder", eta=10.0)
    assert prepared.play(strict.open).models.n_selected.tolist() == [0, 0]


@pytest.mark.parametrize(("name", "settings", "twin", "detector"), DETERMINISTIC)
@pytest.mark.parametrize("mode", ["fresh", "carried_on"])
@pytest.mark.parametrize("seed", range(3))
def test_step_forward_selects_as_written(name, settings, twin, detector, mode, seed):
    view, y_public = challenge(seed)
    game, _ = against(
        StepForward(iterations=4, iteration_board=mode).prepare(view, LeastSquares(), None),
        y_public,
        name,
        **settings,
    )
    theirs = literal.step_forward(
        view.X_train, view.y_train, view.X_public, view.X_final,
        lambda: twin(y_public, "mse", **settings), 4, iteration_board=mode, detector=detector,
    )  # fmt: skip
    chosen = [r["chosen"] for r in theirs]
    ours = [int(s[0]) if len(s) else None for s in game.selected]
    assert ours == chosen
    assert [t.tolist() for t in game.submitted] == [r["remaining"] for r in theirs]
    last = theirs[-1]
    np.testing.assert_allclose(game.models.public[-1], last["public_predictions"], atol=1e-9)
    np.testing.assert_allclose(game.models.final[-1], last["final_predictions"], atol=1e-9)
    n_selected = [len(r["selected"]) for r in theirs] + [len(last["selected"])] * (4 - len(theirs))
    assert game.models.n_selected.tolist() == n_selected
    made = [r["submissions"] for r in theirs] + [last["submissions"]] * (4 - len(theirs))
    assert game.models.submissions.tolist() == made


class Replayed:
    """A literal board that shows what the engine's board showed."""

    def __init__(self, shown, replaced):
        self._shown, self.accepted, self._replaced = iter(shown), [], iter(replaced)

    def submit(self, prediction):
        self.accepted.append(bool(next(self._replaced)))
        return next(self._shown)


@pytest.mark.parametrize("detector", ["known_number", "maximum"])
@pytest.mark.parametrize("mode", ["fresh", "carried_on"])
@pytest.mark.parametrize("seed", range(6))
def test_step_forward_reads_a_noisy_board_as_written(mode, seed, detector):
    """The same noise is shown to both, so every choice must be the same."""
    view, y_public = challenge(seed, p=14)
    game, session = against(
        StepForward(iterations=4, iteration_board=mode, detector=detector).prepare(
            view, LeastSquares(), None
        ),
        y_public,
        "ladderboot",
        alpha=0.5,
        b=100,
    )
    if mode == "fresh":
        waiting = iter(
            [Replayed(*r) for r in zip(released(session), accepted(session), strict=True)]
        )
    else:
        whole = Replayed(np.concatenate(released(session)), np.concatenate(accepted(session)))
        waiting = iter([whole])
    theirs = literal.step_forward(
        view.X_train, view.y_train, view.X_public, view.X_final,
        lambda: next(waiting), 4, iteration_board=mode, detector=detector,
    )  # fmt: skip
    ours = [int(s[0]) if len(s) else None for s in game.selected]
    assert ours == [r["chosen"] for r in theirs]


def test_repeats_of_a_model_are_averaged_where_there_is_noise():
    view, y_public = challenge(2, p=14)
    game, session = against(
        StepForward(iterations=3, repeats=20).prepare(view, LeastSquares(), None),
        y_public,
        "ladderboot",
        alpha=0.5,
        b=1,
    )
    missed = 0
    for tried, shown, replaced, taken in zip(
        game.submitted, released(session), accepted(session), game.selected, strict=True
    ):
        each = tried[::20]
        assert tried.tolist() == np.repeat(each, 20).tolist()
        means = [np.mean(shown[k : k + 20]) for k in range(0, len(shown), 20)]
        informed = [any(replaced[k : k + 20]) for k in range(0, len(shown), 20)]
        assert taken == each[last_of_known_number(np.array(means), sum(informed[1:])) or 0]
        missed += taken != each[last_of_known_number(shown[::20], sum(informed[1:])) or 0]
    assert missed  # one submission of each would have been read otherwise
    assert game.models.submissions.tolist() == [20 * 14, 20 * 27, 20 * 39]


def test_repeats_change_nothing_on_a_board_without_noise():
    view, y_public = challenge(4, p=14)
    once, often = (
        against(
            StepForward(iterations=4, repeats=repeats).prepare(view, LeastSquares(), None),
            y_public,
            "ladder",
            alpha=0.15,
        )[0]
        for repeats in (1, 7)
    )
    assert [s.tolist() for s in often.selected] == [s.tolist() for s in once.selected]
    assert often.models.submissions.tolist() == (7 * once.models.submissions).tolist()


@pytest.mark.parametrize(
    ("features", "iterations", "submissions"),
    [(50, 1, 50), (100, 2, 199), (150, 3, 447), (200, 4, 794), (250, 5, 1240), (300, 6, 1785)],
)
def test_submissions_are_counted_as_in_the_paper(features, iterations, submissions):
    view, y_public = challenge(5, p=features)
    game, _ = against(
        StepForward(iterations=iterations).prepare(view, LeastSquares(), None),
        y_public,
        "ladder",
        alpha=0.15,
    )
    assert game.models.submissions[-1] == submissions


def test_a_board_that_shows_nothing_ends_the_attack_at_once():
    view, y_public = challenge(6)
    game, _ = against(
        StepForward(iterations=3).prepare(view, LeastSquares(), None), y_public, "constant_board"
    )
    assert game.models.n_selected.tolist() == [0, 0, 0]
    assert game.models.submissions.tolist() == [10, 10, 10]
    assert (game.models.public == 0).all()


def test_the_detector_without_the_oracle_never_asks_it():
    view, y_public = challenge(7)
    attack = StepForward(iterations=3, detector="penalised").prepare(view, LeastSquares(), None)
    scorer = Scorer(find("mse"), y_public, attack.opening)
    honest = Session(scorer, mechanism("ladderboot", alpha=0.15, b=10), partial(stream, 1))
    lying = Session(scorer, honest.mechanism, partial(stream, 1))

    def open_board():
        """What was accepted is told the other way around."""
        board = lying.open()
        submit, submit_opening = board.submit, board.submit_opening
        board.submit = lambda *given: turned(submit(*given))
        board.submit_opening = lambda *given: turned(submit_opening(*given))
        return board

    def turned(receipt):
        return receipt._replace(accepted=~receipt.accepted)

    informed, lied_to = attack.play(honest.open), attack.play(open_board)
    assert informed.models.n_selected[-1] > 0
    np.testing.assert_array_equal(informed.models.public, lied_to.models.public)


def test_more_iterations_than_features_stop_at_the_last_feature():
    view, y_public = challenge(8, p=3)
    game, _ = against(
        StepForward(iterations=6).prepare(view, LeastSquares(), None), y_public, "full_disclosure"
    )
    assert game.models.n_selected.tolist() == [1, 2, 3, 3, 3, 3]
    assert game.models.submissions.tolist() == [3, 5, 6, 6, 6, 6]


@pytest.mark.parametrize("attack", [Freedman(), StepForward(), BestOfMany(rounds=[3, 20])])
def test_any_regressor_can_be_the_final_model(attack):
    """Linear regression by its import path ends with the same models as the built-in one."""
    view, y_public = challenge(10)
    plays = [
        against(attack.prepare(view, final_model(model), stream(1)), y_public, "ladder", alpha=0.5)[
            0
        ]
        for model in ("ols", regressor("sklearn.linear_model.LinearRegression"))
    ]
    np.testing.assert_allclose(plays[0].models.public, plays[1].models.public, atol=1e-9)
    np.testing.assert_allclose(plays[0].models.final, plays[1].models.final, atol=1e-9)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "sklearn.linear_model.Elastic",
            "model 'sklearn.linear_model.Elastic'.*cannot be imported",
        ),
        (
            regressor("sklearn.linear_model.ElasticNet", alfa=1),
            "does not accept the settings {'alfa': 1}",
        ),
        ("sklearn.preprocessing.StandardScaler", "got the class StandardScaler"),
    ],
)
def test_models_that_cannot_be_used_are_refused(entry, message):
    with pytest.raises(InputError, match=message):
        final_model(entry)


def test_a_model_with_settings():
    entry = regressor("sklearn.linear_model.ElasticNet", alpha=0.1)
    assert isinstance(final_model(entry), Regressor)


def test_a_regressor_that_draws_gets_the_studys_random_numbers():
    view, _ = challenge(11)
    entry = regressor("sklearn.ensemble.RandomForestRegressor", n_estimators=3)
    fits = [final_model(entry, seed).nested(view, np.arange(3))[0] for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert (fits[0] != fits[2]).any()


@pytest.mark.parametrize("option", [{"iteration_board": "Fresh"}, {"detector": "tolld"}])
def test_options_of_the_step_forward_attack_are_checked(option):
    with pytest.raises(InputError, match="attack 'step_forward': `.*` must be one of .*; got"):
        ATTACKS.make("step_forward", iterations=2, **option)


def test_the_step_forward_attack_takes_its_parameters_by_their_former_names():
    now = StepForward(iteration_board="carried_on", detector="known_number")
    assert StepForward(board="carried_on", detector="told") == now
    assert ATTACKS.parse("step_forward(board=carried_on,detector=told)") == now
    with pytest.raises(
        InputError, match="no parameter 'board'. It has: iterations, iteration_board"
    ):
        ATTACKS.make("step_forward", board="fresh", iteration_board="fresh")


def test_an_attack_of_ones_own_may_call_its_iteration_board_board():
    class Former(PreparedAttack):
        board = "carried_on"

    assert (Former().iteration_board, PreparedAttack().iteration_board) == ("carried_on", None)


def test_step_forward_submits_one_model_for_each_feature_left():
    assert [needed(10, made) for made in (1, 2, 3, 10)] == [10, 19, 27, 55]


def test_the_papers_recipe_selects_one_of_fifty_features():
    budgets = recipe(200, 10**6, 100, 10)
    assert budgets == [{"features": 50 * i, "iterations": i} for i in (1, 2, 3, 4)]
    assert recipe(200, 99, 100, 10) == [{"features": 50, "iterations": 1}]
    assert recipe(200, 199, 100, 10) == [
        {"features": 50, "iterations": 1},
        {"features": 100, "iterations": 2},
    ]
    assert recipe(200, 49, 100, 10) == [{"features": 49, "iterations": 1}]


def test_equal_scores_are_averaged_exactly():
    """(0.1 + 0.1 + 0.1) / 3 is more than 0.1 in floating point, and would look like a jump."""

    class Shows:
        terms = Terms("mse")

        def submit(self, predictions, final):
            return Receipt(np.full(len(predictions), 0.1), np.zeros(len(predictions), bool))

    board = _Averaging(Shows(), 3, np.zeros((0, 4)))
    receipt = board.submit(np.zeros((2, 4)), lambda: np.zeros((2, 4)))
    assert receipt.released.tolist() == [0.1, 0.1]


def test_predictions_may_be_asked_for_late_and_again():
    """Two features are selected before the first call; each call is least squares on all."""
    rng = np.random.default_rng(4)
    train, final = (standardised(rng.standard_normal((6, n))) for n in (40, 30))
    y = standardised(rng.standard_normal((1, 40)))[0]
    rows, left, residual = _Rows(final), train, y
    for taken in (4, 0):
        step, left, residual = extend(left, residual, taken)
        rows.take(step)
    expected = []
    for j in (1, 2, 3, 5):
        columns = [4, 0, j]
        expected.append(final[columns].T @ np.linalg.lstsq(train[columns].T, y, rcond=None)[0])
    for _ in range(2):
        np.testing.assert_allclose(rows.predictions(), expected, atol=1e-10)
