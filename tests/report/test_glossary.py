"""The words of the page: those of every study, and of the parts that one played."""

from shakedown.attacks.attack import ATTACKS
from shakedown.component import parameter
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism
from shakedown.report.glossary import glossary
from tests.report.summaries import row, summary


class Tilted(Mechanism):
    """A mechanism of a user's own, with a parameter nobody has heard of."""

    name = "tests.report.test_glossary.Tilted"
    label = "Tilted board"
    sentence = "Leans to one side."
    source = "a footnote"
    gamma: float = parameter(symbol="γ", description="How far it leans, in degrees.")
    secret: int = parameter(3, description="Not shown.")


def test_parts_that_were_played_are_explained_and_no_others():
    words = dict(glossary(summary(row(-0.1, alpha=0.5), row(-0.2, metric="ccc"))))
    ladder = MECHANISMS.classes["ladder"]
    assert words["Ladder"] == f"{ladder.sentence} ({ladder.source})"
    assert words["α"] == ladder.model_fields["alpha"].description
    assert {"MSE", "Lin's CCC", "Step-forward", "permuted response"} <= set(words)
    assert not {"LadderBoot", "b", "MAE", "Freedman", "random splits"} & set(words)


def test_a_mechanism_nobody_has_heard_of_shows_its_label_sentence_and_parameter():
    key = summary(row(-0.1), row(-0.2, setting=Tilted(gamma=0.5).setting))
    words = dict(glossary(key))
    assert words["Tilted board"] == "Leans to one side. (a footnote)"
    assert words["γ"] == "How far it leans, in degrees."
    assert "secret" not in words


def test_an_attacks_parameters_that_are_away_from_their_defaults_are_explained():
    attack = ATTACKS.make("step_forward", iterations=7)
    words = dict(glossary((summary(row(-0.1))), [attack]))
    assert words["Step-forward: iterations"] == type(attack).model_fields["iterations"].description
