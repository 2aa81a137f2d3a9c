"""Numbers for readers."""

import pytest

from shakedown.component.identity import printed
from shakedown.wording import amount, bare, chance, counted, probability, short, signed, some


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.05213, "0.0521"), (3.14159, "3.14"), (12345, "12,300"), (-999_999, "-1,000,000"),
     (1.2e14, "120,000,000,000,000"), (1.2345e20, "1.23e+20"), (-5e90, "-5e+90"), (3e-90, "3e-90")],
)  # fmt: skip
def test_an_amount_is_short_at_any_size(value, text):
    assert amount(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.001, "0.00"), (-1.25, "−1.25"), (123456.0, "123456.00"), (-1.2e90, "−1.20e+90")],
)
def test_so_is_a_number_with_its_sign(value, text):
    assert signed(value) == text
    assert short(-0.25) == "−.25"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-05, "0.00001"), (2.5e-09, "0.0000000025"), (7.61e-91, "7.61e-91"), (-1e-20, "-1e-20"),
     (1000, "1,000"), (9e92, "9e+92"), (True, "true"), ("told", "told")],
)  # fmt: skip
def test_so_is_a_parameter_in_a_label(value, text):
    assert printed(value) == text


def test_things_are_named_up_to_a_number_and_counted():
    assert some("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert some("abcdefg") == "'a', 'b', 'c', 'd', 'e' and 2 more"
    assert some([3, 4], most=1) == "'3' and 1 more"
    assert [counted(n, "row") for n in (0, 1, 1000)] == ["0 rows", "1 row", "1,000 rows"]


def test_probabilities_are_short_and_none_is_certain():
    assert [bare(p) for p in (0.9, 0.85)] == [".9", ".85"]
    assert [probability(p) for p in (0.0, 0.5, 0.9999)] == ["below .01", ".50", "above .99"]
    assert [chance(p) for p in (0.0, 0.5, 0.9999)] == ["below 0.01", "0.50", "above 0.99"]
