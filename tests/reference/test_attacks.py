"""The attacks against linear algebra, hand-made boards and planted features."""

import numpy as np
import pytest

from .attacks import fit_and_predict, freedman, last_change, step_forward
from .mechanisms import FullDisclosure, GeneralLadder


class Scripted:
    """A board that shows prepared scores, whatever it gets."""

    def __init__(self, released, accepted=None):
        self.to_show = list(released)
        self.to_accept = list(accepted) if accepted is not None else [True] * len(self.to_show)
        self.accepted = []
        self.predictions = []

    def submit(self, prediction):
        self.predictions.append(prediction)
        self.accepted.append(self.to_accept.pop(0))
        return self.to_show.pop(0)


class Falling:
    """Every submission is better than all before it."""

    def __init__(self):
        self.accepted = []

    def submit(self, prediction):
        self.accepted.append(True)
        return -float(len(self.accepted))


def noise(seed, p, rows=12):
    """X_train, y_train, X_public, X_final without any signal."""
    rng = np.random.default_rng(seed)
    X_train, X_public, X_final = rng.normal(size=(3, rows, p))
    return X_train, rng.normal(size=rows), X_public, X_final


def attack_script(boards, p=8, **kwargs):
    """Step-forward on scripted boards; the data do not matter."""
    boards = iter(boards)
    return step_forward(*noise(61, p), lambda: next(boards), **kwargs)


def orthogonal_columns(rng, rows, p):
    """Columns of mean 0 and variance 1 (ddof 1), uncorrelated."""
    X = rng.normal(size=(rows, p))
    Q, _ = np.linalg.qr(X - X.mean(axis=0))
    return Q * np.sqrt(rows - 1)


@pytest.fixture
def planted():
    """Noise-free y = 2 x_3 - 1.5 x_6 + x_1 on uncorrelated features, in all sets."""
    rng = np.random.default_rng(62)
    sets = [orthogonal_columns(rng, 30, 9) for _ in range(3)]
    y_train, y_public, y_final = (2 * X[:, 3] - 1.5 * X[:, 6] + X[:, 1] for X in sets)
    X_train, X_public, X_final = sets
    return (X_train, y_train, X_public, X_final), y_public, y_final


# --- the fit ---


def test_fit_is_least_squares_with_a_constant():
    X_train, y_train, X_public, X_final = noise(63, 6)
    y_train = y_train + 5
    public, final = fit_and_predict(X_train, y_train, [4, 1], X_public, X_final)
    A = np.column_stack([np.ones(12), X_train[:, 4], X_train[:, 1]])
    beta = np.linalg.solve(A.T @ A, A.T @ y_train)
    np.testing.assert_allclose(public, beta[0] + X_public[:, [4, 1]] @ beta[1:])
    np.testing.assert_allclose(final, beta[0] + X_final[:, [4, 1]] @ beta[1:])


def test_model_without_features_predicts_the_mean():
    X_train, y_train, X_public, _ = noise(64, 3)
    (prediction,) = fit_and_predict(X_train, y_train, [], X_public)
    np.testing.assert_allclose(prediction, np.full(12, y_train.mean()))


# --- Freedman ---


def test_freedman_submits_all_univariate_models_in_order():
    X_train, y_train, X_public, X_final = noise(65, 7)
    board = Scripted(np.zeros(7))
    freedman(X_train, y_train, X_public, X_final, board.submit, [2])
    assert len(board.predictions) == 7
    for j, prediction in enumerate(board.predictions):
        slope, intercept = np.polyfit(X_train[:, j], y_train, 1)
        np.testing.assert_allclose(prediction, intercept + slope * X_public[:, j])


def test_freedman_takes_the_first_among_ties():
    data = noise(66, 6)
    released = [0.5, 0.2, 0.5, 0.2, 0.9, 0.2]
    small = freedman(*data, Scripted(released).submit, [1, 2, 4, 6])
    assert [model["features"] for model in small] == [
        [1],
        [1, 3],
        [1, 3, 5, 0],
        [1, 3, 5, 0, 2, 4],
    ]
    large = freedman(*data, Scripted(released).submit, [3], larger_is_better=True)
    assert large[0]["features"] == [4, 0, 2]


def test_freedman_final_models():
    X_train, y_train, X_public, X_final = data = noise(67, 5)
    models = freedman(*data, Scripted([3.0, 1, 2, 5, 4]).submit, [1, 2, 3])
    assert [model["k"] for model in models] == [1, 2, 3]
    for model in models:
        top = [1, 2, 0][: model["k"]]
        A = np.column_stack([np.ones(12), X_train[:, top]])
        beta = np.linalg.lstsq(A, y_train, rcond=None)[0]
        for X, key in ((X_public, "public_predictions"), (X_final, "final_predictions")):
            np.testing.assert_allclose(model[key], beta[0] + X[:, top] @ beta[1:])


def test_freedman_finds_the_planted_features(planted):
    data, y_public, y_final = planted
    board = FullDisclosure(y_public, "mse")
    first, *_, last = freedman(*data, board.submit, [1, 2, 3])
    assert first["features"] == [3]
    assert last["features"] == [3, 6, 1]
    np.testing.assert_allclose(last["public_predictions"], y_public, atol=1e-12)
    np.testing.assert_allclose(last["final_predictions"], y_final, atol=1e-12)
    # Uncorrelated features, variances 4, 2.25 and 1: what feature 3 leaves is 3.25 (30 - 1) / 30.
    assert board.released[3] == pytest.approx(3.25 * 29 / 30)


# --- step-forward: the loop ---


def test_every_iteration_adds_one_remaining_feature_to_the_selected():
    X_train, y_train, X_public, X_final = data = noise(69, 4)
    boards = [Scripted([5, 5, 4, 4]), Scripted([5, 4, 4])]
    waiting = iter(boards)
    first, second = step_forward(*data, lambda: next(waiting), 2)
    assert (first["remaining"], first["chosen"], first["selected"]) == ([0, 1, 2, 3], 2, [2])
    assert (second["remaining"], second["chosen"], second["selected"]) == ([0, 1, 3], 1, [2, 1])
    for j, prediction in zip([0, 1, 3], boards[1].predictions, strict=True):
        (expected,) = fit_and_predict(X_train, y_train, [2, j], X_public)
        np.testing.assert_array_equal(prediction, expected)
    public, final = fit_and_predict(X_train, y_train, [2, 1], X_public, X_final)
    np.testing.assert_array_equal(second["public_predictions"], public)
    np.testing.assert_array_equal(second["final_predictions"], final)


def test_attack_ends_when_no_feature_remains():
    records = attack_script([Scripted([1, 0]), Scripted([1])], p=2, iterations=5)
    # One feature on a fresh board is one score, and that is a jump from infinity.
    assert [record["chosen"] for record in records] == [1, 0]
    records = step_forward(*noise(70, 2), Falling, 5, iteration_board="carried_on")
    assert [record["chosen"] for record in records] == [1, 0]


def test_planted_features_are_found_and_then_it_stops(planted):
    data, y_public, y_final = planted
    records = step_forward(
        *data, lambda: GeneralLadder(y_public, "mse", eta=1e-3), 9, iteration_board="carried_on"
    )
    # The last jump is the best score, since any better one is shown: the largest coefficient
    # first.  Then nothing is left to gain.
    assert [record["chosen"] for record in records] == [3, 6, 1, None]
    assert [record["submissions"] for record in records] == [9, 17, 24, 30]
    np.testing.assert_allclose(records[-1]["final_predictions"], y_final, atol=1e-12)


def test_planted_features_are_found_first_on_fresh_boards(planted):
    data, y_public, _ = planted
    records = step_forward(*data, lambda: GeneralLadder(y_public, "mse", eta=1e-3), 5)
    # Nothing is left to gain after three, and a new board takes the first that comes.
    assert [record["chosen"] for record in records] == [3, 6, 1, 0, 2]


@pytest.mark.parametrize("iteration_board", ["fresh", "carried_on"])
def test_planted_features_under_full_disclosure(planted, iteration_board):
    data, y_public, _ = planted
    records = step_forward(
        *data,
        lambda: FullDisclosure(y_public, "mse"),
        3,
        iteration_board=iteration_board,
        detector="best",
    )
    assert [record["chosen"] for record in records] == [3, 6, 1]


# --- step-forward: which jump ---


def test_last_change():
    assert last_change([3.0, 3.0, 2.0, 2.0, 1.0, 1.0]) == 4
    assert last_change([3.0, 2.0]) == 1
    assert last_change([3.0, 3.0]) is None
    assert last_change([3.0]) is None
    assert last_change([]) is None


def test_the_first_score_of_a_fresh_board_is_a_jump():
    records = attack_script([Scripted([9, 8] + [8] * 6), Scripted([1] * 7)], iterations=2)
    assert [record["chosen"] for record in records] == [1, 0]
    assert records[1]["submissions"] == 15
    assert records[1]["selected"] == [1, 0]


def test_carried_on_board_can_jump_at_its_first_score():
    script = Scripted([9, 8] + [8] * 6 + [1] * 7 + [1] * 6)
    records = attack_script([script], iterations=4, iteration_board="carried_on")
    assert [record["chosen"] for record in records] == [1, 0, None]
    assert records[2]["selected"] == [1, 0]
    np.testing.assert_array_equal(
        records[2]["public_predictions"], records[1]["public_predictions"]
    )


def test_attack_that_never_sees_a_jump_ends_with_the_mean():
    X_train, y_train, X_public, X_final = data = noise(71, 4)
    (record,) = step_forward(*data, lambda: Scripted([1] * 4), 3, detector="best")
    assert record["chosen"] is None
    assert record["selected"] == []
    assert record["submissions"] == 4
    np.testing.assert_allclose(record["public_predictions"], y_train.mean())


def test_detector_of_a_known_number_asks_for_as_many_jumps_as_were_accepted():
    released = [9.0, 9.1, 8.9, 3.0, 3.1, 2.9, 2.0, 2.1]
    single = Scripted(released, [True, False, False, True, False, False, False, False])
    double = Scripted(released, [True, False, False, True, False, False, True, False])
    none = Scripted(released, [True] + [False] * 7)  # the first of a fresh board does not count
    for board, chosen in ((single, 3), (double, 6), (none, 0)):
        records = attack_script([board], iterations=1, detector="known_number")
        assert records[0]["chosen"] == chosen


def test_detector_of_a_known_number_takes_what_fits():
    boards = [Scripted([5.0, 5.1, 1.0, 1.1, 1.05])]  # four jumps are known; one fits
    assert attack_script(boards, p=5, iterations=1, detector="known_number")[0]["chosen"] == 2


def test_detector_of_a_known_number_sees_the_scores_since_the_last_break_on_a_carried_on_board():
    flags = [True, False, False, False, True, False, False, False]
    flags += [True] + [False] * 6  # the first of a board that goes on counts
    script = Scripted([9, 9.1, 9, 9.1, 5, 5.1, 5, 5.1] + [2, 2.1, 2, 2.1, 2, 2.1, 2], flags)
    records = attack_script(
        [script], iterations=2, iteration_board="carried_on", detector="known_number"
    )
    # The second iteration is searched together with 5, 5.1, 5, 5.1: its first score jumps.
    assert [record["chosen"] for record in records] == [4, 0]


def test_first_score_after_the_last_break_belongs_to_what_is_carried_on():
    # The break leaves two scores, the fewest that can stand before a jump at the next one.
    flags = [True] + [False] * 5 + [True, False] + [True] + [False] * 6
    script = Scripted([9] * 6 + [5] * 2 + [2] * 7, flags)
    records = attack_script(
        [script], iterations=2, iteration_board="carried_on", detector="known_number"
    )
    assert [record["chosen"] for record in records] == [6, 0]


def test_detector_of_a_known_number_on_fresh_boards_sees_one_iteration_only():
    boards = [
        Scripted([9, 9, 9, 9, 5, 5, 5, 5], [True, False, False, False, True, False, False, False]),
        Scripted([2, 2, 2, 2, 1, 1, 1], [True, False, False, False, True, False, False]),
    ]
    records = attack_script(boards, iterations=2, detector="known_number")
    assert [record["chosen"] for record in records] == [4, 5]  # 4 is gone: position 4 is 5


def test_break_before_the_iteration_is_no_jump():
    # First iteration: 9 9 9 9 | 5 5 1 1 (this split leaves 16, the one at 1 1 leaves 21.3).
    # Second: 5 5 | 1 1 and seven 1s, so the only break lies in the first iteration.
    flags = [True, False, False, False, True, False, False, False] + [True] + [False] * 6
    script = Scripted([9, 9, 9, 9, 5, 5, 1, 1] + [1] * 7, flags)
    records = attack_script(
        [script], iterations=5, iteration_board="carried_on", detector="known_number"
    )
    assert [record["chosen"] for record in records] == [4, None]
    assert records[-1]["submissions"] == 15


def test_best_detector_takes_the_first_among_ties():
    released = [3, 1, 2, 1, 5, 4, 5, 3]
    small = attack_script([Scripted(released)], iterations=1, detector="best")
    large = attack_script(
        [Scripted(released)], iterations=1, detector="best", larger_is_better=True
    )
    assert small[0]["chosen"] == 1
    assert large[0]["chosen"] == 4
