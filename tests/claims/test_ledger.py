"""The ledger: what can stand in it, what is told to who writes it wrong, and the papers' own."""

import pytest
import yaml

from shakedown.attacks.guesses import checked_points
from shakedown.claims import load
from shakedown.claims.ledger import OURS
from shakedown.claims.nodes import OverReplicates, Plain, Reduction, Statistic
from shakedown.claims.selection import Range
from shakedown.interface import InputError
from tests.claims.studies import LEDGER, ROOT

ENTRY = {
    "id": "grows",
    "source": "[C] Fig. 2",
    "statement": "The overfit grows.",
    "measured": 'median("delta", n_selected=3)',
    "required": "< 0",
    "of": {"experiment": "freedman", "dataset": "ad_like", "mechanism": "ladder", "alpha": 0.15},
}


def written(tmp_path, *entries, text=None):
    path = tmp_path / "claims.yaml"
    path.write_text(text if text is not None else yaml.safe_dump(list(entries)), encoding="utf-8")
    return path


def test_a_claim_has_what_the_entry_says(tmp_path):
    entry = ENTRY | {
        "figure": "fig2",
        "note": "Two\n  lines.",
        "seen": "It\n  did.",
        "statement": "Two\n  lines too.",
    }
    (claim,) = load(written(tmp_path, entry))
    assert (claim.id, claim.source, claim.figure) == ("grows", "[C] Fig. 2", "fig2")
    assert (claim.statement, claim.note, claim.seen) == ("Two lines too.", "Two lines.", "It did.")
    assert claim.required.text == "< 0"
    assert claim.measured == ENTRY["measured"]
    assert claim.expression.where == {
        "dataset": "ad_like", "mechanism": "ladder", "alpha": 0.15, "n_selected": 3,
    }  # fmt: skip


def test_each_and_last_are_understood_for_all_statistics(tmp_path):
    of = ENTRY["of"] | {"alpha": "each", "n_selected": "last"}
    entry = ENTRY | {"of": of, "measured": 'largest(median("delta"))'}
    (claim,) = load(written(tmp_path, entry))
    assert claim.expression.over == ("alpha",)


def test_a_claim_on_other_data_is_one_of_its_own(tmp_path):
    also = {"dataset": "diabetes", "note": "", "figure": "diabetes_fig2", "required": "< 1"}
    entry = ENTRY | {"note": "No signal.", "figure": "fig2", "also_on": also}
    ours, theirs = load(written(tmp_path, entry | {"id": "x"}))[::-1]
    assert (theirs.id, theirs.source, theirs.note, theirs.figure) == (
        "x", ENTRY["source"], "No signal.", "fig2",
    )  # fmt: skip
    assert (ours.id, ours.source, ours.note, ours.figure) == (
        "x_diabetes", OURS, "", "diabetes_fig2",
    )  # fmt: skip
    assert (theirs.statement, ours.statement) == (
        "The overfit grows.", "On diabetes: The overfit grows.",
    )  # fmt: skip
    assert ours.expression.where == theirs.expression.where | {"dataset": "diabetes"}
    assert (theirs.required.text, ours.required.text) == ("< 0", "< 1")


def test_what_is_not_said_of_the_other_data_is_as_before_but_what_it_showed(tmp_path):
    entry = ENTRY | {
        "note": "N.",
        "seen": "S.",
        "figure": "fig2",
        "also_on": {"dataset": "diabetes"},
    }
    _, ours = load(written(tmp_path, entry))
    assert (ours.note, ours.seen, ours.figure, ours.required.text) == ("N.", "", "", "< 0")


WHERE = r"claims ledger .*claims.yaml, claim 1 \(grows\)"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"meassured": "1"}, f"{WHERE}: unknown key 'meassured'. Did you mean 'measured'"),
        ({"statement": 3}, f"{WHERE}: 'statement' must be text in quotes, got 3"),
        ({"required": -0.05}, f"{WHERE}: 'required' must be text in quotes, got -0.05"),
        ({"source": "  "}, f"{WHERE}: 'source' must be text"),
        ({"note": None}, f"{WHERE}: 'note' must be text in quotes, got None"),
        ({"id": "2 b"}, r"claim 1 \(2 b\): wanted an id of letters, digits .* got '2 b'"),
        ({"required": "small"}, f"{WHERE}: `required` 'small' is not understood"),
        ({"measured": 'median("delat")'}, f"{WHERE}: `measured` column .* 'delat' is not known"),
        ({"measured": "median("}, f"{WHERE}: `measured` does not parse"),
        ({"of": {"experment": "x"}}, f"{WHERE}, of: unknown key 'experment'. Did you mean 'exp"),
        ({"of": "freedman"}, f"{WHERE}, of: wanted keys and values, got str 'freedman'"),
        ({"of": {"alpha": True}}, f"{WHERE}, of: 'alpha' must be text or a number, got True"),
        ({"of": {"alpha": [0.1]}}, f"{WHERE}, of: 'alpha' must be text or a number, got .0.1."),
        ({"of": {"alpha": "small"}}, f"{WHERE}, of: alpha must be a number"),
        ({"of": {"mechanism": "lader"}}, f"{WHERE}, of: mechanism 'lader' is not known"),
        ({"also_on": "diabetes"}, f"{WHERE}, also_on: wanted keys and values"),
        ({"also_on": {"note": "x"}}, f"{WHERE}, also_on: 'dataset' is missing"),
        ({"also_on": {"dataset": "d", "design": "x"}}, f"{WHERE}, also_on: unknown key 'design'"),
        ({"also_on": {"dataset": 3}}, f"{WHERE}, also_on: 'dataset' must be text in quotes"),
        (
            {"also_on": {"dataset": "d"}, "of": {"experiment": "freedman"}},
            f"{WHERE}: also_on changes the data set under `of`, so it must stand there and nowhere",
        ),
        (
            {"also_on": {"dataset": "d"}, "measured": 'median("delta", dataset="ad_like")'},
            f"{WHERE}: also_on changes the data set under `of`, so it must stand there and nowhere",
        ),
    ],
)
def test_says_what_is_wrong_with_an_entry(tmp_path, changed, message):
    with pytest.raises(InputError, match=message):
        load(written(tmp_path, ENTRY | changed))


@pytest.mark.parametrize("key", ["id", "source", "statement", "measured", "required"])
def test_says_what_is_missing(tmp_path, key):
    entry = {k: v for k, v in ENTRY.items() if k != key}
    with pytest.raises(InputError, match=rf"claim 1 \(.*\): '{key}' is missing"):
        load(written(tmp_path, entry))


def test_an_id_is_taken_once(tmp_path):
    with pytest.raises(InputError, match=r"claim 2 \(grows\): the id 'grows' is taken"):
        load(written(tmp_path, ENTRY, ENTRY))
    also = ENTRY | {"also_on": {"dataset": "diabetes"}}
    with pytest.raises(InputError, match="the id 'grows_diabetes' is taken"):
        load(written(tmp_path, also, ENTRY | {"id": "grows_diabetes"}))


def test_a_ledger_may_lie_in_several_files(tmp_path):
    first = written(tmp_path, ENTRY | {"id": "a"}, ENTRY | {"id": "b"})
    (tmp_path / "more").mkdir()
    second = written(tmp_path / "more", ENTRY | {"id": "c"})
    assert [claim.id for claim in load(second, first)] == ["c", "a", "b"]


def test_an_id_is_taken_once_in_all_files(tmp_path):
    first = written(tmp_path, ENTRY)
    (tmp_path / "more").mkdir()
    second = written(tmp_path / "more", ENTRY | {"id": "other"}, ENTRY)
    told = rf"{second}, claim 2 \(grows\): the id 'grows' is taken by one of {first}. Give it"
    with pytest.raises(InputError, match=told):
        load(first, second)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "wanted a list of claims, got nothing"),
        ("[]", r"wanted a list of claims, got list \[\]"),
        ("a: 1", "wanted a list of claims, got dict"),
        ("- just text", "claim 1: wanted keys and values, got str 'just text'"),
        ("- {id: [", "is not YAML: .* line 1"),
        ("- id: a\n  id: b", r"line 2: the key \[0\].id stands in line 1 already"),
    ],
)
def test_says_what_is_wrong_with_a_file(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        load(written(tmp_path, text=text))


def test_says_that_there_is_no_file(tmp_path):
    with pytest.raises(InputError, match="claims ledger .*none.yaml: cannot be read: No such file"):
        load(tmp_path / "none.yaml")


# The papers' ledger.


@pytest.fixture(scope="module")
def claims():
    return load(*LEDGER)


@pytest.fixture(scope="module")
def config():
    return yaml.safe_load((ROOT / "config" / "config.yaml").read_text("utf-8"))


def statistics(node):
    """All statistics of an expression."""
    if isinstance(node, Statistic):
        yield node
    elif isinstance(node, Plain):
        for part in node.parts:
            yield from statistics(part)
    elif isinstance(node, Reduction | OverReplicates):
        yield from statistics(node.of)
        if getattr(node, "read", None) is not None:
            yield from statistics(node.read)


def test_the_study_has_all_of_it(config):
    assert [ROOT / path for path in config["claims"]] == LEDGER


def test_every_figure_has_a_claim(claims):
    figures = {claim.figure for claim in claims}
    wanted = {f"fig{i}" for i in range(1, 7)} | {f"figS{i}" for i in range(1, 14)}
    wanted |= {"figBH1", "figBH_growth", "figBH_error", "figZ1", "figZ2", "figZ_ranks"}
    assert wanted <= figures
    assert len(claims) > 200


def test_figures_are_those_of_the_study(claims, config):
    assert {claim.figure for claim in claims} - {""} <= set(config["figures"])


def test_claims_on_other_data_lead_to_the_figures_there_are(claims, config):
    """A claim beside figS7 stands beside diabetes_figS7 when it is about diabetes, and so on."""
    figure = ""
    for claim in claims:
        if claim.source == OURS:
            dataset = claim.id.rsplit("_", 1)[1]
            theirs = f"{dataset}_{figure}"
            assert claim.figure == (theirs if theirs in config["figures"] else ""), claim.id
        figure = claim.figure


def test_claims_ask_for_what_the_study_has(claims, config):
    """A misspelt experiment or data set would never be run, and nobody would notice."""
    experiments = config["experiments"]
    for claim in claims:
        for one in statistics(claim.expression):
            if one.kind == "spread":
                assert one.id in config["spreads"], claim.id
            else:
                assert one.id in experiments, claim.id
                assert one.where["dataset"] in experiments[one.id]["datasets"], claim.id
                assert one.where["design"] in experiments[one.id]["designs"], claim.id


def test_claims_ask_for_mechanisms_that_the_experiments_have(claims, config):
    for claim in claims:
        for one in statistics(claim.expression):
            if one.kind == "spread":
                continue
            entries = config["experiments"][one.id]["mechanisms"]
            names = one.where["mechanism"]
            if names is Range.each:
                names = tuple(entry["name"] for entry in entries)
            for name in names if isinstance(names, tuple) else (names,):
                same = [entry for entry in entries if entry["name"] == name]
                assert same, claim.id
                for key in ("alpha", "posterior_odds", "eta", "b"):
                    asked = one.where.get(key)
                    held = [v for entry in same for v in listed(entry.get(key))]
                    if isinstance(listed(asked)[0], float | int):
                        assert set(listed(asked)) <= set(held), claim.id
                    if asked is Range.none:
                        assert None in held, claim.id
                    # A setting with several values must be chosen or be an axis.
                    assert len(set(held)) == 1 or asked is not None, claim.id


def listed(value):
    """A setting's values, or what was asked of it, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def test_claims_ask_for_submissions_after_which_the_attacks_have_an_outcome(claims, config):
    for claim in claims:
        for one in statistics(claim.expression):
            asked = [k for k in listed(one.where.get("submissions")) if isinstance(k, int)]
            if asked:
                attack = config["experiments"][one.id]["attack"]
                made = attack.get("submissions", 1001)  # two accounts: n + 1
                assert set(asked) <= set(checked_points("", attack.get("points"), made)), claim.id


def test_every_experiment_on_labels_has_a_claim(claims, config):
    asked = {one.id for claim in claims for one in statistics(claim.expression)}
    labels = {id for id, e in config["experiments"].items() if e["designs"] == ["labels"]}
    assert labels <= asked


def test_sources_and_statements_are_told(claims):
    labels = {claim.id for claim in load(LEDGER[1])}
    for claim in claims:
        paper = "[C] " if claim.id not in labels else "[B] " if claim.id[:3] == "bh_" else "[Z] "
        assert claim.source == OURS or claim.source.startswith(paper), claim.id
        assert claim.statement.rstrip(")").endswith("."), claim.id
