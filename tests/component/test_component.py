"""Components: ids, labels, messages, and where they are found."""

import math
import sys
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from shakedown.attacks.attack import ATTACKS
from shakedown.component import Component, Parameters, Registry, identity, parameter, parsed
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism
from shakedown.leaderboard.mechanisms.ladder import Ladder
from shakedown.metrics import find
from shakedown.metrics.mse import MeanSquaredError


class Dial(Component):
    kind: ClassVar[str] = "dial"
    name: ClassVar[str] = "dial"
    label: ClassVar[str] = "Dial"

    level: float = parameter(gt=0.0, le=1.0, symbol="λ", description="How loud.")
    turns: int = parameter(3, ge=1, description="How often.")
    way: str = parameter("left", description="Where to.")
    soft: bool = parameter(False, description="Whether softly.")
    stops: list[float] = parameter([], description="Where it stops.")


class Spring(Parameters):
    force: float
    turns: int = 1


class Clock(Component):
    kind: ClassVar[str] = "clock"
    name: ClassVar[str] = "clock"
    label: ClassVar[str] = "Clock"

    shift: float = 0.0
    spring: Spring = Spring(force=1.0)
    more: list[Spring] = []
    hours: list[Annotated[int, Field(ge=1)]] | None = None
    words: dict[str, float] = {}
    alarms: list[int] = Field(default_factory=list)
    zone: float


CASES = [
    {"level": 0.1},
    {"level": 1e-5, "turns": 7},
    {"level": 1.0, "way": "right", "soft": True},
    {"level": 1 / 3, "way": 'a, (b) = "c"', "stops": [0.5, 2.0, 1e-9]},
    {"level": 0.5, "way": "true"},
    {"level": 0.5, "way": "null"},
]


@pytest.mark.parametrize("given", CASES)
def test_an_id_is_read_back_as_it_was_written(given):
    dial = Dial(**given)
    name, parameters = parsed(dial.id)
    assert name == "dial"
    assert Dial(**parameters) == dial
    assert parameters.keys() == given.keys()


@pytest.mark.parametrize(
    "given",
    [
        {"zone": -1.5},
        {"shift": -1e-9, "zone": 1e16},
        {"spring": {"force": -2.0, "turns": 3}, "zone": 0},
        {"more": [{"force": 0.5}, {"force": 2.0, "turns": 4}], "zone": 0},
        {"hours": [1, 2], "words": {"a,b)": 0.25, "é": -3.0}, "zone": 0},
    ],
)
def test_parameters_of_any_kind_are_read_back(given):
    clock = Clock(**given)
    name, parameters = parsed(clock.id)
    again = Clock(**parameters)
    assert (name, again, hash(again)) == ("clock", clock, hash(clock))
    assert parameters.keys() == given.keys()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "clock 'clock' needs 'zone'.$"),
        ({"zone": math.inf}, "`zone` must be a number; got inf"),
        ({"zone": math.nan}, "`zone` must be a number; got nan"),
        ({"zone": 0, "spring": {"force": "x"}}, "`spring.force` must be a number; got 'x'"),
        ({"zone": 0, "more": [{"force": "x"}]}, "`more.0.force` must be a number; got 'x'"),
        ({"zone": 0, "hours": [0]}, "`hours.0` must be a whole number of at least 1; got 0"),
    ],
)
def test_what_is_wrong_within_a_group_or_a_list_is_said(given, message):
    class Here(Registry):
        classes = {"clock": Clock}

    with pytest.raises(InputError, match=message):
        Here(Clock, "nowhere").make("clock", **given)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("general_ladder", {"eta": math.inf}),
        ("kaggle", {"eta": math.nan}),
        ("bayesboot_ladder", {"posterior_odds": math.inf}),
    ],
)
def test_no_parameter_is_infinite(name, given):
    with pytest.raises(InputError, match="must be a number above 0; got (inf|nan)"):
        MECHANISMS.make(name, **given)


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_every_mechanism_is_found_by_its_id(name):
    for example in MECHANISMS.find(name).examples:
        mechanism = MECHANISMS.make(name, **example)
        assert MECHANISMS.parse(mechanism.id) == mechanism


@pytest.mark.parametrize("id", ["ladder(alpha=)", "ladder(alpha=0.1", "ladder(alpha=0.1,)", "x y"])
def test_what_is_no_id_is_refused(id):
    with pytest.raises(InputError, match="mechanism"):
        MECHANISMS.parse(id)


def test_a_number_may_begin_with_its_point():
    """As the documentation writes it; the id is the same, and quoted text is left alone."""
    short = MECHANISMS.parse("digest(eta=.1,floor=-.5,every=100,updates=10)")
    assert short.id == "digest(eta=0.1,floor=-0.5,every=100,updates=10)"
    told = parsed('x(a=.5,b=[.1,-.2],c="=.5 \\" ,.5",d=n.5,e=1.5)')[1]
    assert told == {"a": 0.5, "b": [0.1, -0.2], "c": '=.5 " ,.5', "d": "n.5", "e": 1.5}
    with pytest.raises(ValueError, match="Expecting value"):
        parsed("x(a=.)")


def test_an_id_names_what_has_no_default_and_what_is_away_from_it():
    assert Dial(level=0.5, turns=3).id == "dial(level=0.5)"
    assert Dial(level=1, turns=4).id == "dial(level=1,turns=4)"
    assert identity("plain", {}) == "plain"


def test_a_label_shows_symbols_and_whatever_is_away_from_its_default():
    assert Dial(level=1e-5).title == "Dial (λ = 0.00001)"
    assert Dial(level=1.5e-13).title == "Dial (λ = 0.00000000000015)"
    assert (
        Dial(level=0.5, turns=2000, soft=True).title == "Dial (λ = 0.5, turns = 2,000, soft = true)"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "dial 'dial' needs 'level'. Meaning: How loud."),
        ({"level": 2}, "dial 'dial': `level` must be a number above 0 and at most 1; got 2."),
        ({"level": "x"}, "`level` must be a number above 0 and at most 1; got 'x'"),
        ({"level": True}, "`level` must be a number .* got True"),
        ({"level": 0.5, "turns": 1.5}, "`turns` must be a whole number of at least 1; got 1.5"),
        ({"level": 0.5, "soft": 1}, "`soft` must be true or false; got 1"),
        ({"level": 0.5, "levl": 1}, "has no parameter 'levl'. Did you mean 'level'"),
    ],
)
def test_a_wrong_parameter_is_one_sentence(given, message):
    class Here(Registry):
        classes = {"dial": Dial}

    with pytest.raises(InputError, match=message):
        Here(Dial, "nowhere").make("dial", **given)


def test_a_whole_number_may_be_written_as_a_float():
    assert Dial(level=0.5, turns=1e3).turns == 1000
    assert Clock(zone=0, hours=[1e3, 2]).hours == [1000, 2]
    assert ATTACKS.make("best_of_many", rounds=[2.0]).id == "best_of_many(rounds=[2])"


def test_a_class_of_a_users_own_lies_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_board_here.py").write_text(
        "from shakedown.leaderboard.mechanisms.ladder import Ladder\n"
        "class Mine(Ladder):\n    label = 'Mine'\nnothing = 3\n"
    )
    before = list(sys.path)
    mine = MECHANISMS.make("own_board_here.Mine", alpha=0.5)
    assert (mine.id, mine.title) == ("own_board_here.Mine(alpha=0.5)", "Mine (α = 0.5)")
    assert MECHANISMS.parse(mine.id) == mine
    assert MECHANISMS.find("ladder").name == "ladder"
    assert sys.path == before
    for path, message in [
        ("own_board_here.Yours", "cannot be imported"),
        ("own_board_here.nothing", "wanted a class derived from .*Mechanism, got 3"),
        ("no_such_module_here.Mine", "cannot be imported"),
    ]:
        with pytest.raises(InputError, match=message):
            MECHANISMS.find(path)


def test_a_component_of_ours_keeps_its_name_where_its_path_is_given():
    path = f"{Ladder.__module__}.{Ladder.__qualname__}"
    assert MECHANISMS.make(path, alpha=0.5).id == "ladder(alpha=0.5)"
    assert MECHANISMS.make("ladder", alpha=0.5).id == "ladder(alpha=0.5)"
    assert find(f"{MeanSquaredError.__module__}.MeanSquaredError").name == find("mse").name == "mse"


def test_a_component_without_a_name_is_refused(tmp_path, monkeypatch):
    (tmp_path / "dials").mkdir()
    (tmp_path / "dials" / "__init__.py").touch()
    (tmp_path / "dials" / "loud.py").write_text(
        "from shakedown.leaderboard.mechanism import Mechanism\n"
        "class Loud(Mechanism):\n    label = 'Loud'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    message = 'mechanism: dials.loud.Loud has a label but no name, .*: `name = "loud"`'
    with pytest.raises(InputError, match=message):
        list(Registry(Mechanism, "dials"))


def test_a_base_class_is_no_component():
    assert Mechanism not in MECHANISMS.classes.values()
    assert list(MECHANISMS)[0] == "full_disclosure"
