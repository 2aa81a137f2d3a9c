"""The detecting family: no two lists of labels have the same scores, and all labels are found."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.detecting_family import entries, sets_for
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.reference import label_attacks as literal
from tests.reference.mechanisms import FullDisclosure


def attacked(y, setting="full_disclosure", points=None):
    n = len(y)
    view = ParticipantData(np.empty((0, 0)), np.empty(0), np.empty((n, 0)), np.empty((30, 0)))
    session = Session(Scorer(find("zero_one"), y), of_setting(setting), partial(stream, 1))
    attack = ATTACKS.make("detecting_family", points=points)
    return attack.prepare(view, None, stream(2)).play(session.open).models, session


def labels(seed, n, share=0.5):
    return (np.random.default_rng(seed).random(n) < share).astype(float)


@pytest.mark.parametrize("n", [1, 4, 5, 9, 12])
def test_no_two_lists_of_labels_have_the_same_sums(n):
    sets = sets_for(n)
    files = np.concatenate([entries(a, sets) for a in sets])[:n].astype(int)
    sums = {tuple(np.array(x) @ files) for x in product([0, 1], repeat=n)}
    assert len(sums) == 2**n


@pytest.mark.parametrize("n", [10, 33, 60])
@pytest.mark.parametrize("seed", range(3))
def test_it_ends_with_the_labels_of_the_literal_one(n, seed):
    y = labels(seed, n)
    models, _ = attacked(y)
    expected = literal.detecting_family(n, FullDisclosure(y, "zero_one").submit)
    np.testing.assert_array_equal(models.public[-1], expected)
    np.testing.assert_array_equal(models.public[-1], y)


@pytest.mark.parametrize("setting", ["full_disclosure", "kaggle"])
@pytest.mark.parametrize("share", [0.5, 0.1, 1.0])
@pytest.mark.parametrize(("n", "files"), [(209, 72), (1000, 253), (2304, 512)])
def test_so_many_files_tell_all_labels(n, files, share, setting):
    """k 2^(k - 1) labels take 2^k - 1 sets: 2,304 with k = 9, and 1,024 with k = 8.

    The sets 254 and 255 bring 7 + 8 of the 1,024 labels, and 253 brings 7, which leaves 1,002.
    """
    y = labels(n, n, share)
    models, session = attacked(y, setting, points=[1, files - 1])
    np.testing.assert_array_equal(models.submissions, [1, files - 1, files])
    np.testing.assert_array_equal(models.public[-1], y)
    assert session.counts.submissions == files
    # Before, the zeros have told the more frequent label.
    frequent = float(y.mean() > 0.5)
    np.testing.assert_array_equal(models.public[:2], np.full((2, n), frequent))


@pytest.mark.parametrize("setting", [
    "ladder(alpha=0.3)", "general_ladder(eta=0.01)", "ladderboot(alpha=0.15,b=10)",
    "kaggle(eta=0.02)",
])  # fmt: skip
def test_it_guesses_where_scores_do_not_tell_whole_numbers(setting):
    models, _ = attacked(labels(1, 100), setting)
    assert (models.public == 0.0).all()
    assert (models.n_selected == 0).all()


def test_a_point_beyond_the_last_file_is_refused():
    with pytest.raises(InputError, match="`points` must be numbers of submissions from 1 to 72"):
        attacked(labels(1, 209), points=[73])
