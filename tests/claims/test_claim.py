"""How a claim is written, found, and refused."""

import sys

import pytest

from shakedown.claims import claim, files_of, load
from shakedown.claims.claim import OURS
from shakedown.interface import InputError

HEAD = "from shakedown.claims import claim\n\n\n"
ONE = '''@claim("[C] Fig. 2", figure="fig2", required="< 0")
def {}(study):
    """The overfit grows."""
    return -1.0
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module of a user's own and gives its name."""
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_claim_has_what_its_function_says():
    @claim("[C] Fig. 2", figure="fig2", required="between 0 and 1", kind="arithmetic")
    def one(study):
        """It grows
        fast.

        Note: Two
        lines.

        Seen: It did.
        """

    assert (one.id, one.source, one.figure, one.kind) == ("one", "[C] Fig. 2", "fig2", "arithmetic")
    assert (one.statement, one.note, one.seen) == ("It grows fast.", "Two lines.", "It did.")
    assert one.required.text == "between 0 and 1"


def test_a_claim_on_other_data_is_one_of_its_own():
    @claim("x", figure="fig2", required="< 0", on="a", also_on={"b": "b_fig2", "c": ""})
    def one(study):
        """It grows.

        Note: N.

        Seen: S.

        Note on c: Of its own.

        Seen on b: T.
        """

    b, c = one.also
    assert (one.dataset, b.dataset, c.dataset) == ("a", "b", "c")
    assert (b.id, b.source, b.kind, b.figure) == ("one_b", OURS, "carried over", "b_fig2")
    assert (b.statement, b.note, b.seen) == ("On b: It grows.", "N.", "T.")
    assert (c.figure, c.note, c.seen) == ("", "Of its own.", "")


def test_a_claim_says_who_chose_its_bound():
    @claim("x", required="< 0")
    def theirs(study):
        """S."""

    @claim("x", chosen="< 0.1", literally="< 0", on="a", also_on="b")
    def chosen(study, *, literally=False):
        """S."""
        return literally

    assert (theirs.bound, theirs.literal) == ("paper", None)
    assert (chosen.required.text, chosen.literal.text) == ("< 0.1", "< 0")
    assert {chosen.bound, chosen.also[0].bound} == {"ours"}
    assert (chosen.measure(None), chosen.measure_literally(None)) == (False, True)
    assert chosen.also[0].measure_literally(None) is True


@pytest.mark.parametrize("asked", [{}, {"required": "< 0", "chosen": "< 0.1"}])
def test_a_claim_is_asked_once(asked):
    def one(study):
        """S."""

    with pytest.raises(InputError, match=r"Claim one in .*: wanted one of `required` and `chosen`"):
        claim("x", **asked)(one)


def test_a_claim_has_cases(module):
    module(
        "several",
        HEAD
        + '''CASES = {"low": {"n": 2, "most": 4}, "high": {"n": 3, "most": 9}}


@claim("[C] part {n}", required="<= {most}", kind="arithmetic", cases=CASES)
def squares(study, n):
    """The square of {n}.

    Note: At most {most:.1f}.
    """
    return n * n


'''
        + ONE.format("last"),
    )
    low, high, last = load(["several"])
    assert (low.id, high.id, last.id) == ("low", "high", "last")
    assert (high.source, high.required.text) == ("[C] part 3", "<= 9")
    assert (high.statement, high.note) == ("The square of 3.", "At most 9.0.")
    assert (low.measure(None), high.measure(None)) == (4, 9)
    assert low.place == high.place == ("several", 7)


def test_says_which_case_is_wrong():
    def squares(study, n):
        """The square of {n}."""

    cases = {"low": {"n": 2, "asked": "<= 4"}, "high": {"n": 3, "asked": "few"}}
    with pytest.raises(InputError, match="Claim high in tests.*: `required` 'few' is not"):
        claim("x", required="{asked}", cases=cases)(squares)


@pytest.mark.parametrize(
    ("settings", "text", "message"),
    [
        ({"required": "small"}, "S.", "Claim one in tests.*: `required` 'small' is not understood"),
        ({"kind": "statistic"}, "S.", "kind 'statistic' is unknown. Did you mean 'statistical'"),
        ({"also_on": "b"}, "S.", "`also_on` changes the data set, so `on` must name one"),
        ({}, "", "its docstring must start with the statement, got none"),
        (
            {},
            "S.\n\nSeem: no",
            "a paragraph of its docstring starts with 'Seem: no'; wanted one of",
        ),
    ],
)
def test_says_what_is_wrong_with_a_claim(settings, text, message):
    def one(study):
        return 0.0

    one.__doc__ = text
    with pytest.raises(InputError, match=message):
        claim("x", **{"required": "< 0"} | settings)(one)


def test_claims_stand_in_the_order_of_the_modules(module):
    module("second", HEAD + ONE.format("b") + ONE.format("a"))
    module("first", "from second import a\n" + HEAD + ONE.format("c"))
    assert [claim.id for claim in load(["first", "second"])] == ["c", "b", "a"]


def test_a_package_says_the_order_of_its_modules(tmp_path, module):
    (tmp_path / "paper").mkdir()
    module("paper/__init__", '__all__ = ["second", "first"]\n')
    module("paper/first", HEAD + ONE.format("a"))
    module("paper/second", HEAD + ONE.format("b"))
    assert [claim.id for claim in load(["paper"])] == ["b", "a"]
    assert [path.name for path in files_of("paper")] == ["__init__.py", "first.py", "second.py"]


def test_an_id_stands_once(module):
    module("twice", HEAD + ONE.format("a") + ONE.format("a"))
    with pytest.raises(InputError, match=r"Claim a in twice: the id 'a' stands there twice"):
        load(["twice"])
    module("one", HEAD + ONE.format("a"))
    module("other", HEAD + ONE.format("a"))
    with pytest.raises(InputError, match="Claim a in other: the id is taken by a claim of one"):
        load(["one", "other"])


def test_says_that_a_module_is_not_there_or_has_no_claim(module):
    with pytest.raises(
        InputError, match="claims 'nowhere' cannot be imported .* Wanted a module with claims"
    ):
        load(["nowhere"])
    with pytest.raises(InputError, match="module 'nowhere' is not found. Wanted the import path"):
        files_of("nowhere")
    module("empty", "")
    with pytest.raises(InputError, match="Module empty has no claims"):
        load(["empty"])
