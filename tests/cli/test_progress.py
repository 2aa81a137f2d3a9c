"""The progress of a run, in a terminal and elsewhere."""

import io

from shakedown.cli.progress import Display


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream):
    with Display(stream) as display:
        display.job("Playing the game")
        display.steps(3, 7)
        display.say("Stopping ...")
    return stream.getvalue()


def test_elsewhere_each_step_is_a_line():
    assert shown(io.StringIO()) == "Playing the game\n3 of 7 steps done\nStopping ...\n"


def test_in_a_terminal_one_line_renews_itself():
    text = shown(Terminal())
    assert "3/7" in text
    assert "Playing the game" in text
    assert text.count("\n") == 1  # behind what stays
    assert "Stopping ...\n" in text
