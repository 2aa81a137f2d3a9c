"""Who can overfit which leaderboard, by the number of public rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.component import Parameters, parameter
from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture, note_parameter
from shakedown.interface import InputError
from shakedown.wording import counted, listed, short, signed

if TYPE_CHECKING:
    import pandas as pd

#: Colours of the cells, each of a lightness of its own, and of the numbers in them.
LOOKS = {
    "proved": ("#0A2F4F", "#FFFFFF"),
    "holds": ("#E4EFF8", "#222222"),
    "some": ("#F3A45E", "#222222"),
    "much": ("#C9432A", "#FFFFFF"),
}
#: Characters in a line of a board's name: cells need the width.
_NAME = 22
#: A Δ of more than so many times the threshold is much.
MUCH = 5.0


class Participant(Parameters):
    """A kind of participant, and the experiments that play it."""

    label: str = parameter(description="Its name.")
    meaning: str = parameter("", description="What it does, for the caption.")
    experiments: list[str] = parameter(
        min_length=1, description="Experiments whose attacks it may choose from."
    )
    accounts: int = parameter(
        1, ge=1, description="Accounts of each attack, each with a board of its own, for the proof."
    )


class ThreatMap(FigureKind):
    """Median Δ of each participant's best attack against each setting, a panel per data set."""

    name: ClassVar[str] = "threat_map"
    label: ClassVar[str] = "Participants × leaderboards"
    sentence: ClassVar[str] = "Who can overfit which leaderboard, by the number of public rows."
    order: ClassVar[float] = 12
    several: ClassVar[tuple[str, ...]] = (
        *("experiment", "dataset", "design", "attack", "iteration_board"),
    )

    participants: list[Participant] = parameter(
        [],
        description=(
            "Columns; each shows the attack that reaches most.  By default one for each experiment."
        ),
    )
    rows: dict[str, int] = parameter(
        {}, description="Number of public rows, by the id of the data set; needed for proofs."
    )
    submissions: int | None = parameter(
        None,
        ge=1,
        description=(
            "Δ is shown for the last point of each attack with no more submissions than this; null "
            "for the last point."
        ),
    )
    threshold: float = parameter(
        -0.05, lt=0.0, description="Tolerated Δ on standardised data, below 0."
    )
    quantile: float = parameter(
        0.25,
        gt=0.0,
        le=0.5,
        description="The share of attackers that may overfit more than is proved.",
    )
    labels: dict[str, str] = parameter(
        {}, description="The words of a row, by the id of the setting; by default its title."
    )
    note: str = note_parameter()

    @property
    def needs(self):
        return (*super().needs, "score_honest")

    @property
    def choices(self):
        named = [name for participant in self.participants for name in participant.experiments]
        return {f"participants, experiment {name}": {"experiment": name} for name in named}

    @property
    def datasets(self):
        return {"rows": self.rows}

    def numbers(self, rows: pd.DataFrame) -> pd.DataFrame:
        """What each attack reached; see `theory.threats.reached`."""
        from shakedown.theory.threats import reached

        names = dict.fromkeys(rows["experiment"].astype(str))
        participants = self.participants or [
            Participant(label=name.replace("_", " "), experiments=[name]) for name in names
        ]
        table = reached(
            rows, participants, self.rows, threshold=self.threshold,
            quantile=self.quantile, submissions=self.submissions, labels=self.labels,
        )  # fmt: skip
        if table.empty:
            raise InputError(
                f"figure kind {self.name!r}: no participant has an attack with a point of "
                f"{self.submissions} submissions or fewer among the experiments shown. Choose a "
                "larger `submissions`, or other `participants`."
            )
        return table

    def picture(self, rows):
        from shakedown.leaderboard.settings import settings_in
        from shakedown.theory.threats import worst

        everything = self.numbers(rows)
        table, metric = worst(everything), panels.metric_of(rows)
        order = [*self.labels, *(mechanism.setting for mechanism in settings_in(rows))]
        boards = [board for at in order for board in table.loc[table["setting"] == at, "board"]]
        boards = list(dict.fromkeys(boards))
        figure = self._drawn(table, boards)
        self._tell(figure, table, boards, rows)
        numbers = captions.replicates(everything["replicates"])
        most = int(table["submissions"].max())
        unit = "".join(metric.axis.replace("\n", " ").partition(" (")[1:])
        what = f"Median {metric.delta_name}{unit} after up to {most:,} submissions, by public rows"
        figure.suptitle(what, fontsize=9, x=0.01, ha="left")
        proved = (
            f"Dark blue: proved, whatever is submitted: the mean {metric.delta_name} stays within "
            f"{signed(self.threshold)}, and so does the {metric.delta_name} of "
            f"{100 * (1 - self.quantile):.3g} % of attackers. "
        ) * bool(table["is_proved"].any())
        return Picture(
            figure,
            f"{self._finding(everything)} "
            f"Each number is the median {metric.delta_name} of the participant's best attack, "
            "below 0 if its public score is too good. An adversary's public score is compared "
            "with that of an honest file (without a model: a constant prediction), a modeller's "
            "with its final score. "
            f"{self._meanings()}{proved}{self._signs(boards, rows)}Medians of {numbers}. Data: "
            f"{captions.data(rows)}.",
        )

    def _finding(self, table: pd.DataFrame) -> str:
        """How many boards keep every participant within the threshold, by public rows."""
        boards = table["board"].nunique()
        within = table.groupby(["dataset", "board"], sort=False)["delta"].min() >= self.threshold
        counts = within.groupby("dataset", sort=False).sum()
        known = set(map(str, counts.index)) <= set(self.rows)
        at = [
            f"{kept or 'none'} at {f'{self.rows[str(name)]:,}' if known else name}"
            for name, kept in counts.items()
        ]
        return (
            f"Of {counted(boards, 'leaderboard')}, {listed(at)}{' public rows' * known} keep every "
            f"participant{' that was played' * self._has_blank(table)} within "
            f"{signed(self.threshold)}."
        )

    def _has_blank(self, table: pd.DataFrame) -> bool:
        """Whether a participant was not played against some board."""
        played = table.groupby(["board", "dataset"])["participant"].nunique()
        return bool((played < table["participant"].nunique()).any())

    def _signs(self, boards: list[str], rows: pd.DataFrame) -> str:
        """What the words and signs in the names of boards mean, with a blank behind."""
        from shakedown.leaderboard.settings import settings_in

        shown = " ".join(boards)
        signs = captions.parameters(settings_in(rows))
        said = [sign for sign in signs if f"{sign.split(':')[0]} = " in shown]
        return "".join(f"{one} " for one in [*said, self.note] if one)

    def _drawn(self, table: pd.DataFrame, boards: list[str]):
        import seaborn as sns
        from matplotlib.colors import ListedColormap
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        from shakedown.figures.facets import narrow
        from shakedown.figures.style import PAGE_WIDTH

        columns = list(dict.fromkeys(table["participant"]))
        datasets = list(dict.fromkeys(table["dataset"]))
        height = 1.9 + 0.3 * len(boards)
        figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
        # The numbers need the width.
        figure.get_layout_engine().set(w_pad=0.025, wspace=0.015)
        grid = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
        kinds = list(LOOKS)
        for ax, dataset in zip(grid, datasets, strict=True):
            own = table[table["dataset"] == dataset]
            wide = own.pivot(index="board", columns="participant", values="delta")
            wide = wide.reindex(index=boards, columns=columns)
            sure = own.pivot(index="board", columns="participant", values="is_proved")
            sure = sure.reindex_like(wide).fillna(False).astype(bool)
            looks = wide.copy()
            for at in [(row, column) for row in wide.index for column in wide]:
                looks.loc[at] = kinds.index(self._look(wide.loc[at], sure.loc[at]))
            sns.heatmap(
                looks.where(wide.notna()), ax=ax, vmin=0, vmax=len(LOOKS) - 1,
                cmap=ListedColormap([face for face, _ in LOOKS.values()]), cbar=False,
                linewidths=1.0,
            )  # fmt: skip
            for i, row in enumerate(wide.index):
                for j, column in enumerate(columns):
                    value = wide.loc[row, column]
                    ink = LOOKS[self._look(value, sure.loc[row, column])][1]
                    text = "" if value != value else short(value)
                    ax.text(j + 0.5, i + 0.5, text, color=ink, fontsize=8, ha="center", va="center")
            n = self.rows.get(dataset)
            ax.set(xlabel=f"{n:,} rows" if n else dataset, ylabel="")
            ax.xaxis.label.set_fontweight("bold")
            ax.xaxis.tick_top()
            ax.xaxis.set_label_position("top")
            ax.tick_params(length=0)
            ax.grid(visible=False)  # it would strike empty cells through
            ax.tick_params(axis="x", labelrotation=90)
        names = [narrow(board, _NAME) for board in boards]
        grid[0].set_yticks(grid[0].get_yticks(), names, fontsize=8, linespacing=1.05)
        # Above the names, where it costs no width.
        grid[0].set_ylabel("Leaderboard", rotation=0, ha="right", va="bottom")
        grid[0].yaxis.set_label_coords(-0.05, 1.02)
        limit, far = signed(self.threshold), signed(MUCH * self.threshold)
        words = {
            "proved": f"proved: within {limit}, whatever is submitted",
            "holds": f"measured: within {limit}",
            "some": f"overfit, down to {far}",
            "much": f"overfit beyond {far}",
        }
        shown = [kind for kind in kinds if kind != "proved" or table["is_proved"].any()]
        keys = {words[kind]: Patch(facecolor=LOOKS[kind][0]) for kind in shown}
        if len(table) < len(boards) * len(columns) * len(datasets):
            keys["blank: not played"] = Patch(facecolor="white", edgecolor="#AAAAAA")
        figure.legend(
            keys.values(), keys, loc="outside lower center", ncols=2 if len(keys) <= 4 else 3
        )
        return figure

    def _tell(self, figure, table: pd.DataFrame, boards: list[str], rows: pd.DataFrame) -> None:
        """Put what each cell says into the figure."""
        from pandas import isna

        from shakedown.attacks.attack import ATTACKS
        from shakedown.figures.cells import Cell, measured

        pairs = rows[["experiment", "attack"]].astype(str).drop_duplicates("experiment")
        attacks = dict(pairs.to_numpy())
        columns = list(dict.fromkeys(table["participant"]))
        panels = dict(zip(dict.fromkeys(table["dataset"]), figure.axes, strict=True))
        for cell in table.to_dict("records"):
            lines = [
                f"{cell['board']}, {panels[cell['dataset']].get_xlabel()}",
                f"{cell['participant']}: {ATTACKS.find(attacks[cell['experiment']]).label}",
                *measured(cell),
            ]
            if not isna(cell["too_many"]):
                lines.append(f"beyond {signed(self.threshold)} from {int(cell['too_many']):,}")
            if cell["is_proved"]:
                lines.append("proved, whatever is submitted")
            place = boards.index(cell["board"]), columns.index(cell["participant"])
            panels[cell["dataset"]].add_patch(Cell(*place, lines))

    def _meanings(self) -> str:
        """What participants are, with a blank behind; "" if nobody says it."""
        said = [f"{one.label} ({one.meaning})" for one in self.participants if one.meaning]
        return f"Participants: {'; '.join(said)}. " if said else ""

    def _look(self, delta: float, is_proved: bool) -> str:
        if is_proved:
            return "proved"
        if not delta < self.threshold:
            return "holds"
        return "some" if delta >= MUCH * self.threshold else "much"
