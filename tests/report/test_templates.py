"""What templates write."""

import pytest

from shakedown.report.templates import command


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("shakedown reproduce my.yaml", []),
        ("shakedown dryrun my.csv --minutes 16 --id id", ["--minutes 16", "--id id"]),
        (
            "shakedown winner --quiet --seed=5 --unit 'a b' c",
            ["--quiet", "--seed=5", "--unit 'a b'"],
        ),
        ("shakedown dryrun --thresholds -0.05", ["--thresholds -0.05"]),
    ],
)
def test_an_option_of_a_command_stays_with_its_value(text, options):
    written = str(command(text))
    parts = [part.split("</span>")[0] for part in written.split('<span class="option">')[1:]]
    assert [part.replace("&#39;", "'") for part in parts] == options
    bare = written.replace('<span class="option">', "").replace("</span>", "")
    assert bare.replace("&#39;", "'") == text


def test_a_command_is_escaped():
    assert command("a <b> --c '<d>'") == (
        'a &lt;b&gt; <span class="option">--c &#39;&lt;d&gt;&#39;</span>'
    )
