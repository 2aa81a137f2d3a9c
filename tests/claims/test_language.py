"""Expressions: what can be said, and what is told to who says it wrong."""

import pytest

from shakedown.claims.language import parse
from shakedown.interface import InputError

OF = {"experiment": "freedman", "mechanism": "ladder", "alpha": 0.15, "n_selected": 3}


@pytest.mark.parametrize(
    "text",
    [
        "300 / 3",
        "-(1 - 0.15) * 2 + 1e-3",
        'median("delta")',
        'quantile("delta", at=0.75, b=10, mechanism="ladderboot")',
        'median(share("released", above=1, trace="freedman", mechanism="full_disclosure"))',
        'largest(sd("released", spread="spread_quality", prediction=each, b=[10, 100]))',
        'slope(median("score_public", n_selected=each), over="n_selected")',
        'largest(steps(median("delta", n_selected=[1, 5], alpha=each), over="alpha"), '
        'over=["alpha", "n_selected"])',
        'crossing(median("delta", n_features=each), below=-0.05, over="n_features", '
        'read=value("submissions", n_features=each))',
        "last_jump(trace='freedman', replicate=0)",
        "median(last_jump(trace='freedman') - first_pick(trace='freedman', iteration=last))",
        "share(last_jump(trace='freedman') / 2, above=9)",
        "rounded(abs(t_quantile(0.15, 208)), 0.1) + t_tail(1, 208)",
        '(median("delta")\n - 1)',
    ],
)
def test_reads(text):
    assert parse(text, OF).axes == ()


def test_keywords_in_a_call_come_before_those_for_all():
    node = parse('median("delta", alpha=0.5, n_features=300)', OF)
    assert node.id == "freedman"
    assert node.where == {"mechanism": "ladder", "alpha": 0.5, "n_selected": 3, "n_features": 300}


def test_a_table_of_its_own_takes_only_the_keywords_that_it_knows():
    node = parse('sd("released", spread="s", prediction="knn", b=10)', OF)
    assert (node.kind, node.id, node.where) == ("spread", "s", {"prediction": "knn", "b": 10})


#: What is wrong, and how it is told.
WRONG = [
    ("median(", r"does not parse: .*, in median\(\."),
    ("", "does not parse"),
    ("delta", "can hold numbers, .* and calls of functions; got delta"),
    ("2 ** 3", r"can hold numbers, .* got 2 \*\* 3"),
    ('"delta"', "can hold numbers, .* got 'delta'"),
    ("True", "can hold numbers, .* got True"),
    ('"a".upper()', r"can hold numbers, .* got 'a'\.upper\(\)"),
    ("1 < 2", "can hold numbers, .* got 1 < 2"),
    ("lambda: 1", "can hold numbers, .* got lambda: 1"),
    ("+1", r"can hold numbers, .* got \+1"),
    ('medain("delta")', "function 'medain' is not known. Did you mean 'median'"),
    (
        '__import__("os")',
        "function '__import__' is not known. Known: abs, average, best_display_step",
    ),
    ("median(**{})", r"cannot use \* or \*\* in median\(\*\*\{\}\)"),
    ("largest(*[1])", r"cannot use \* or \*\* in largest\(\*\[1\]\)"),
    (
        'median("dleta")',
        "column of the experiment tables 'dleta' is not known. Did you mean 'delta'",
    ),
    (
        'sd("delta", spread="s")',
        "column of the spread tables 'delta' is not known. Known: correlation",
    ),
    ("median(3)", r"column of the experiment tables '3' is not known"),
    (
        "median(abs(1))",
        r"median\(\) of a quantity goes over the replicates of a trace",
    ),
    (
        'median(last_jump(trace="t"), alpha=0.5)',
        r"median\(\) of a quantity takes one quantity; got median\(last_jump",
    ),
    ('share(last_jump(trace="t"))', r"share\(\) needs below= or above=; got none"),
    ("median()", r"median\(\) takes a column and keywords; got median\(\)"),
    (
        'last_jump("released", trace="t")',
        r"last_jump\(\) takes keywords only; got last_jump\('released'",
    ),
    ("last_jump()", r"last_jump\(\) looks at a trace; say trace='...' instead of experiment"),
    (
        'median("delta", alhpa=0.5)',
        r"keyword of median\(\) 'alhpa' is not known. Did you mean 'alpha'",
    ),
    (
        'sd("released", spread="s", alpha=0.5)',
        r"keyword of sd\(\) 'alpha' is not known. Known: b, prediction",
    ),
    (
        'median("delta", experiment="e", trace="t")',
        "needs one of experiment=, trace=, spread= .* got experiment and trace",
    ),
    ('median("delta", experiment=3)', r"median\(\): experiment must be one id in quotes; got 3"),
    (
        'median("delta", mechanism=3)',
        "mechanism must be text in quotes, a list of such, each, last or none; got 3",
    ),
    (
        'median("delta", alpha="0.15")',
        "alpha must be a number, a list of such, each, last or none; got '0.15'",
    ),
    ('median("delta", mechanism="laddr")', "mechanism 'laddr' is not known. Did you mean 'ladder'"),
    ('median("delta", dataset=last)', "dataset is text and has no last value"),
    (
        'median("delta", alpha=abs(1))',
        r"median\(\): alpha must be text in quotes, a number, .* got abs\(1\)",
    ),
    (
        'median("delta", alpha=[])',
        r"median\(\): alpha must be text in quotes, a number, .* got \[\]",
    ),
    (
        'median("delta", alpha=True)',
        r"median\(\): alpha must be text in quotes, a number, .* got True",
    ),
    (
        'median("delta", alpha=every)',
        r"median\(\): alpha must be text in quotes, a number, .* got every",
    ),
    ('quantile("delta")', r"quantile\(\) needs at=; got none"),
    ('quantile("delta", at=75)', r"quantile\(\): at is a probability, 0 to 1; got 75"),
    ('share("delta", below=0, above=1)', r"share\(\) needs below= or above=; got below and above"),
    ('share("delta", below="a")', r"share\(\): below must be a number; got 'a'"),
    ('count(median("delta", alpha=each))', r"count\(\) needs below= or above= or equal=; got none"),
    (
        'crossing(median("delta", alpha=each), over="alpha")',
        r"crossing\(\) needs below= or above=; got none",
    ),
    ("largest(1, 2)", r"largest\(\) takes one quantity and keywords; got largest\(1, 2\)"),
    (
        'largest(median("delta", alpha=each), along="alpha")',
        r"keyword of largest\(\) 'along' is not known. Known: over",
    ),
    ('largest(median("delta"))', r"largest\(\) has no axis to go along; there is none"),
    (
        'slope(median("delta", alpha=each), over="b")',
        r"slope\(\) has no axis b to go along; there is alpha",
    ),
    (
        'largest(median("delta", alpha=each), over=3)',
        r"largest\(\) has no axis 3 to go along; there is alpha",
    ),
    (
        'slope(median("delta", alpha=each))',
        r"slope\(\) needs over='...', one axis; got slope\(median",
    ),
    (
        'steps(median("delta", alpha=each, b=each), over=["alpha", "b"])',
        r"steps\(\) needs over='...', one axis",
    ),
    ("rounded(1)", r"rounded\(\) takes 2 numbers and no keyword; got rounded\(1\)"),
    ("abs(1, x=2)", r"abs\(\) takes 1 number and no keyword; got abs\(1, x=2\)"),
    (
        'median("delta", alpha=each, n_selected=[1, 2])',
        "gives a number for each alpha and n_selected; wanted a single one. Choose one",
    ),
    (
        'last_jump(trace="t")',
        r"gives a number for each replicate; wanted a single one. Take median\(...\) or share",
    ),
    (
        'steps(median("delta", alpha=each), over="alpha")',
        "gives a number for each alpha; wanted a single one",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_says_what_is_wrong(text, message):
    with pytest.raises(InputError, match=message):
        parse(text, OF)


def test_says_that_a_table_is_not_named():
    with pytest.raises(InputError, match=r"median\(\) needs one of .* under `of`; got none"):
        parse('median("delta")', {})


def test_nothing_is_run(tmp_path):
    """An expression cannot do anything but measure."""
    trap = tmp_path / "trap"
    with pytest.raises(InputError):
        parse(f'open("{trap}", "w")', OF)
    assert not trap.exists()
