"""A table of Δ as a figure."""

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg

from shakedown.attacks.attack import ATTACKS
from shakedown.figures.heat import draw_heat


def test_a_single_leaderboard_has_room_below_the_names_of_the_attacks():
    """A layout without room is a warning, which fails here."""
    attacks = [attack.label for attack in ATTACKS.classes.values() if not attack.on_labels]
    for boards in (["Full-disclosure"], ["Full-disclosure", "Ladder"]):
        table = pd.DataFrame(-0.1, index=boards, columns=attacks)
        figure = draw_heat(table, slanted=40.0)
        FigureCanvasAgg(figure).draw()
        assert figure.axes[0].get_window_extent().height > 5
