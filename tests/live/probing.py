"""Files of honest teams, and of the project's attacks."""

from functools import partial

import numpy as np

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session

ROWS, TRAIN = 200, 300


class Recorder:
    """A board that keeps the files it gets."""

    def __init__(self, client) -> None:
        self._client, self.files = client, []

    def __getattr__(self, name):
        return getattr(self._client, name)

    def submit(self, predictions, final=None):
        self.files.extend(predictions.copy())
        return self._client.submit(predictions, final)


def data(rng, features, rho):
    """Features, correlated by `rho`, and responses for training and for the board's rows."""
    n = TRAIN + ROWS
    X = rng.normal(size=(n, features)) * (1 - rho) ** 0.5 + rng.normal(size=(n, 1)) * rho**0.5
    y = X[:, : features // 3].sum(axis=1) + rng.normal(size=n) * features**0.5
    y = (y - y.mean()) / y.std(ddof=1)
    return X[:TRAIN], y[:TRAIN], X[TRAIN:], y[TRAIN:]


def attack_files(name, setting, seed, submissions=40, honest=0, metric="mse"):
    """What an attack submits; shape (k, ROWS)."""
    rng = np.random.default_rng([seed, 1])
    X, y, X_public, y_public = data(rng, 10, 0.2)
    y_public = (y_public - y_public.mean()) / y_public.std(ddof=1)
    view = ParticipantData(np.asfortranarray(X), y, np.asfortranarray(X_public), X_public[:5])
    entry = {"submissions": submissions, "points": [submissions]}
    if honest:
        from shakedown.attacks.models import final_model

        entry["honest"], fitted = honest, final_model("ols")
    else:
        fitted = None
    prepared = ATTACKS.make(name, **entry).prepare(view, fitted, rng)
    session = Session(
        Scorer(find(metric), y_public), of_setting(setting), partial(stream, seed, "play")
    )
    boards = []

    def open_board():
        boards.append(Recorder(session.open()))
        return boards[-1]

    prepared.play(open_board)
    return np.array([file for board in boards for file in board.files])


def honest_files(kind, seed, submissions=40, features=12, rho=0.2):
    """What an honest hill climber submits; shape (k, ROWS)."""
    rng = np.random.default_rng([seed, 2])
    X, y, X_public, y_public = data(rng, features, rho)
    files, best, kept = [], np.inf, {"chosen": np.zeros(features, bool), "penalty": 10.0}
    sent = {kept["chosen"].tobytes()}
    for t in range(submissions):
        tried = {key: np.copy(value) for key, value in kept.items()}
        if kind == "features":  # adds or drops a feature, keeps what improves the score
            while tried["chosen"].tobytes() in sent:
                tried["chosen"] = kept["chosen"].copy()
                tried["chosen"][rng.choice(features, rng.integers(1, 4))] ^= True
            sent.add(tried["chosen"].tobytes())
            at = tried["chosen"] if tried["chosen"].any() else np.ones(features, bool)
            file = X_public[:, at] @ _ridge(X[:, at], y, 1.0)
        elif kind == "tuning":  # moves the penalty of a ridge regression
            tried["penalty"] = kept["penalty"] * np.exp(rng.normal(0, 0.7))
            file = X_public @ _ridge(X, y, tried["penalty"])
        elif kind == "shrinking":  # a larger penalty each time
            file = X_public @ _ridge(X, y, 3.0 * 1.2**t)
        elif kind == "bagging":  # a mean of models of resampled rows
            rows = rng.integers(TRAIN, size=(1 + t // 4, TRAIN))
            file = np.mean([X_public @ _ridge(X[r], y[r], 1.0) for r in rows], axis=0)
        else:  # "blending": mixes a new random model into the best file
            new = np.tanh(X_public @ (w := rng.normal(size=(features, 20)) / features**0.5))
            model = new @ _ridge(np.tanh(X @ w), y, 5.0)
            file = model if not files else 0.9 * kept["file"] + 0.1 * model
            tried["file"] = file
        score = np.mean((y_public - file) ** 2)
        if score < best or not files:
            best, kept = score, tried
        files.append(file)
    return np.array(files)


def _ridge(X, y, penalty):
    return np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)
