"""A kind of figure: its parameters, its words, its drawing and its caption."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from shakedown.component import Component, Registry, parameter
from shakedown.interface import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from shakedown.metrics import Metric

# What needs matplotlib or pandas is imported where it is used, here and in the modules of the
# kinds: the configuration is checked against their parameters whenever a job starts.

#: The columns of a table that a figure shows one value of, unless its kind takes several.
ONE_OF = ("experiment", "dataset", "design", "metric", "attack", "iteration_board")

#: The columns that figures need, by the table that they read.
COLUMNS = {
    "outcomes": (
        *ONE_OF, "setting", "replicate", "n_features", "point", "submissions",
        "score_public", "score_final", "delta",
    ),
    "traces": (
        *ONE_OF, "setting", "replicate", "n_features", "iteration", "submission", "feature",
        "released", "selected",
    ),
    "release_variability": ("dataset", "prediction", "quality", "correlation", "b", "released"),
    "bounds": (
        "experiment", "dataset", "attack", "iteration_board", "setting", "public_rows",
        "submissions", "accounts", "chance", "replicates", "simulated", "simulated_low",
        "simulated_high", "theorem", "bound",
    ),
}  # fmt: skip


def note_parameter() -> str:
    """The parameter `note` of kinds whose entries choose words of their own."""
    return parameter("", description="A sentence for the caption: what words of the entry mean.")


class Picture(NamedTuple):
    """A figure and its caption: what is plotted, the data, the replicates, and how to read it."""

    figure: Figure
    caption: str


class FigureKind(Component):
    """A kind of figure: a table of chosen rows goes in, a figure with its caption comes out.

    Derive from it, declare the parameters, and write `picture`.

    Attributes
    ----------
    table : str
        What it shows: a key of `COLUMNS`, which is also the folder of the results.
    several : tuple of str
        The columns of `ONE_OF` whose values may be mixed in one figure.
    single : tuple of str
        Other columns that it shows one value of.

    Examples
    --------
    >>> import pandas as pd
    >>> import shakedown
    >>> from matplotlib.figure import Figure
    >>> from shakedown.figures import Picture
    >>> class Points(shakedown.FigureKind):
    ...     name, label = "my_figures.Points", "Points"
    ...     of: str = shakedown.parameter("delta", description="The column that is shown.")
    ...
    ...     def picture(self, rows):
    ...         figure = Figure(figsize=(7.5, 3.0))
    ...         figure.subplots().plot(rows["submissions"], rows[self.of], "o")
    ...         worst = rows.loc[rows[self.of].idxmin()]
    ...         said = f"{self.of} falls to {worst[self.of]}, at {worst.submissions:.0f} files."
    ...         return Picture(figure, said)
    >>> rows = pd.DataFrame({"submissions": [10, 20, 30], "delta": [-0.01, -0.02, -0.04]})
    >>> drawn = Points().picture(rows)
    >>> drawn.caption
    'delta falls to -0.04, at 30 files.'
    >>> drawn.figure.axes[0].lines[0].get_ydata().tolist()
    [-0.01, -0.02, -0.04]

    In a configuration its name is its import path, such as ``my_figures.Points``.
    """

    kind: ClassVar[str] = "figure kind"
    table: ClassVar[str] = "outcomes"
    several: ClassVar[tuple[str, ...]] = ()
    single: ClassVar[tuple[str, ...]] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return COLUMNS[self.table]

    @property
    def choices(self) -> Mapping[str, Mapping[str, Any]]:
        """Rows that its parameters choose, by place in its entry, such as "curves[0]".

        A choice may have an experiment, a setting or a mechanism, parameters of the mechanism, and
        a `label`.
        """
        return {}

    @property
    def datasets(self) -> Mapping[str, Iterable[str]]:
        """Data sets that its parameters name, by the parameter."""
        return {}

    @classmethod
    def with_public_rows(cls, entry: dict[str, Any], known: Mapping[str, int]) -> dict[str, Any]:
        """A figure's entry, with the known public rows by data set if the kind uses them."""
        return entry

    def check_public_rows(self, known: Mapping[str, int | None]) -> None:
        """Check that the numbers of public rows that it needs are known.

        Parameters
        ----------
        known : mapping of str to int or None
            By data set; None where the recipe does not say it.

        Raises
        ------
        InputError
            If it needs another.
        """

    def check(self, rows: pd.DataFrame) -> None:
        """Check that the chosen rows make one figure of this kind.

        Raises
        ------
        InputError
            If a column or all rows are missing, or the rows mix what must not be mixed.
        """
        from shakedown.figures.selection import only, require

        require(rows, self.needs, kind=self.name)
        for column in (*ONE_OF, *self.single):
            if column in self.needs and column not in self.several:
                only(rows, column, kind=self.name)

    def picture(self, rows: pd.DataFrame) -> Picture:
        """The figure of checked rows, `style.PAGE_WIDTH` inches wide, and how to read it.

        The caption is a few sentences; study and seed are said elsewhere.
        """
        raise NotImplementedError


class CurveKind(FigureKind):
    """A kind of figure with lines along the submissions of attacks."""

    several: ClassVar[tuple[str, ...]] = ("experiment", "attack", "iteration_board")

    accuracy: bool = parameter(
        False, description="Whether accuracies are shown, which are 1 − the 0-1 loss."
    )
    rows: dict[str, int] | None = parameter(
        None,
        description=(
            "Number of public rows n, by the id of the data set; null if only data sets of the "
            "recipe labels need one, where it is known."
        ),
    )
    after: str | None = parameter(
        None, description="The figure of a paper that it follows, for its caption."
    )

    @property
    def datasets(self):
        return {"rows": self.rows or {}}

    @classmethod
    def with_public_rows(cls, entry, known):
        """The numbers that the entry gives itself go first."""
        return entry | {"rows": {**known, **(entry["rows"] or {})}}

    def check(self, rows):
        """Also refuse an accuracy without the 0-1 loss."""
        super().check(rows)
        metric = str(rows["metric"].iloc[0])
        if self.accuracy and metric != "zero_one":
            raise InputError(
                f"figure kind {self.name!r}: an accuracy is 1 - the score under the metric "
                f"zero_one; got {metric}. Leave out `accuracy`."
            )

    def yardstick(self, metric: Metric) -> tuple[float, str] | None:
        """Where a metric's yardstick lies on the axis, and what it means."""
        if metric.yardstick is None or not self.accuracy:
            return metric.yardstick
        at, meaning = metric.yardstick
        return 1 - at, meaning.replace("loss", "accuracy")


FIGURE_KINDS = Registry(FigureKind, "shakedown.figures.kinds")


def pictured(figure: Component, given: Any) -> Picture:
    """Check the rows or tables that a figure is given, and draw it in the look of all figures.

    Raises
    ------
    InputError
        If a column or all rows of a table are missing, or the rows do not make such a figure.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from shakedown.figures.style import THEME

    figure.check(given)
    with mpl.rc_context(THEME), plt.ioff():
        drawn = figure.picture(given)
    plt.close(drawn.figure)  # seaborn draws on a figure that pyplot would keep, and show
    return drawn


def picture(kind: str, frame: pd.DataFrame, **settings: object) -> Picture:
    """Draw a figure and write its caption.

    Parameters
    ----------
    kind : str
        One of `FIGURE_KINDS`, or the import path of a `FigureKind`.
    frame : DataFrame
        The table that the kind reads: outcomes, traces, release_variability or bounds.
    **settings
        Parameters of the kind, and criteria that select rows (see `selection.choose`), such as
        ``dataset="ad_like", mechanism=["ladder", "ladderboot"], alpha=0.15``.

    Returns
    -------
    Picture
        The figure, `style.PAGE_WIDTH` inches wide, and its caption.

    Raises
    ------
    InputError
        If the kind or a setting is unknown, or the selected rows do not fit the kind.
    """
    from shakedown.figures.selection import choose

    own = FIGURE_KINDS.find(kind).model_fields
    figure = FIGURE_KINDS.make(kind, **{k: v for k, v in settings.items() if k in own})
    criteria = {k: v for k, v in settings.items() if k not in own and v is not None}
    return pictured(figure, choose(frame, criteria, kind=kind, own=own))


def draw(kind: str, frame: pd.DataFrame, **settings: object) -> Figure:
    """The figure alone; parameters and errors are those of `picture`.

    Examples
    --------
    >>> import shakedown
    >>> sim = {"recipe": "simulated", "rows": 90, "features": 12}
    >>> challenge = shakedown.read("sim", sim, seed=1)
    >>> settings = {
    ...     "metric": "mse",
    ...     "attack": {"name": "freedman", "largest_model": 3},
    ...     "features": 12,
    ...     "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}],
    ... }
    >>> experiment = shakedown.Experiment("mine", settings, challenge, "permuted", seed=1)
    >>> outcomes = shakedown.play(experiment, range(20))
    >>> figure = shakedown.draw("boxes", outcomes, dataset="sim", design="permuted")
    >>> [axes.get_title().strip() for axes in figure.axes if axes.get_title()]
    ['Full-disclosure', 'Ladder (α = 0.01)']

    A matplotlib figure saves itself, say with ``figure.savefig("boxes.svg")``.  A name that is not
    known is answered with those that are:

    >>> shakedown.draw("boxs", outcomes)
    Traceback (most recent call last):
        ...
    shakedown.interface.InputError: figure kind 'boxs' is not known. Did you mean 'boxes'? Wanted
    one of ['attack_map', 'bounds', 'boxes', 'grid', 'growth', ...
    """
    return picture(kind, frame, **settings).figure


def caption(kind: str, frame: pd.DataFrame, *, study: str, seed: int, **settings: object) -> str:
    """The caption with study and seed; other parameters and errors are those of `picture`.

    Examples
    --------
    Of the outcomes that the example of `draw` plays:

    >>> import shakedown
    >>> sim = {"recipe": "simulated", "rows": 90, "features": 12}
    >>> challenge = shakedown.read("sim", sim, seed=1)
    >>> settings = {
    ...     "metric": "mse",
    ...     "attack": {"name": "freedman", "largest_model": 3},
    ...     "features": 12,
    ...     "mechanisms": [{"name": "full_disclosure"}],
    ... }
    >>> experiment = shakedown.Experiment("mine", settings, challenge, "permuted", seed=1)
    >>> outcomes = shakedown.play(experiment, range(20))
    >>> words = shakedown.caption("boxes", outcomes, study="mine", seed=1)
    >>> print(words.split(". ")[0])
    In the median the public MSE is too good by up to 0.13 (k = 3) on Full-disclosure
    """
    return f"{picture(kind, frame, **settings).caption} Study {study}, seed {seed}."
