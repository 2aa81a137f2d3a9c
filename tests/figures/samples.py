"""A table for every kind of figure, of the size of a small study."""

from shakedown.figures import FIGURE_KINDS
from tests.figures import bound_frames, frames, label_frames

STEP = frames.outcomes(
    (*frames.LADDERS, *frames.BOOTS), attack="step_forward", iteration_board="fresh"
)
FREEDMAN = frames.outcomes()
BUDGETS = frames.budgets()
TRACES = frames.traces()
#: By the table that a kind reads.
USUAL = {
    "outcomes": STEP,
    "traces": TRACES,
    "release_variability": frames.releases(predictions=3, draws=50),
    "bounds": bound_frames.compared(),
}
#: The kinds that need another one.
GIVEN = {
    "information_budget": frames.of_settings(
        "full_disclosure",
        "general_ladder(eta=0.1)+baseline",
        "digest(eta=0.1,floor=0.5,every=100,updates=10)",
    ),
    "boxes": FREEDMAN,
    "limits": BUDGETS,
    "growth": label_frames.outcomes(),
    "threat_map": STEP.assign(score_honest=float("nan")),
    "trajectories": label_frames.zheng_2(),
}
SAMPLES = {kind: GIVEN.get(kind, USUAL[FIGURE_KINDS.find(kind).table]) for kind in FIGURE_KINDS}
