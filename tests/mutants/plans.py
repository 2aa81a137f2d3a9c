"""How many mutants are made of each file, and the tests that concern it."""

from __future__ import annotations

from typing import NamedTuple


class Plan(NamedTuple):
    """How many mutants are made of a file, and the tests that concern it.

    `more` are tests that take longer; they run with ``--more``.
    """

    made: int
    tests: str
    more: str = ""


#: By file of the package.  Tests are modules of `tests`, without "test_" and ".py"; "::" and a name
#: chooses one of a module that takes long.
PLANS: dict[str, Plan] = {
    "theory/boosting.py": Plan(8, "theory/boosting", "theory/simulated"),
    "theory/bounds.py": Plan(8, "theory/bounds", "theory/simulated"),
    "theory/gains.py": Plan(8, "theory/gains theory/budget theory/levels", "theory/simulated"),
    "theory/guarantees.py": Plan(8, "theory/guarantees", "theory/proved"),
    "theory/leakage.py": Plan(8, "theory/leakage theory/budget"),
    "claims/claim.py": Plan(
        6, "claims/claim claims/evaluation claims/study_tables", "claims/labels"
    ),
    "claims/evaluation.py": Plan(6, "claims/evaluation claims/claim claims/verdicts"),
    "claims/intervals.py": Plan(
        8, "claims/evaluation claims/resampled_statistics", "claims/labels"
    ),
    "claims/requirement.py": Plan(4, "claims/requirement claims/evaluation"),
    "claims/settling.py": Plan(4, "claims/settling claims/evaluation"),
    "claims/resampled_statistics.py": Plan(4, "claims/resampled_statistics claims/evaluation"),
    "replay/cleaning.py": Plan(14, "replay/cleaning replay/reading"),
    "data/splits.py": Plan(
        18, "data/splits data/magnitudes simulation/label_games", "simulation/replicate"
    ),
    "data/horizons.py": Plan(8, "data/horizons metrics/integrated_brier", "dryrun/horizons"),
    "data/censored.py": Plan(8, "data/censored", "dryrun/censored"),
    "data/scaling.py": Plan(8, "data/scaling data/magnitudes", "data/splits"),
    "metrics/metric.py": Plan(6, "metrics/metrics metrics/contract metrics/own metrics/magnitudes"),
    "metrics/functions.py": Plan(4, "metrics/own metrics/contract metrics/magnitudes"),
    "attacks/freedman.py": Plan(4, "attacks/attacks", "dryrun/plan attacks/contract"),
    "attacks/step_forward.py": Plan(8, "attacks/attacks attacks/jumps", "attacks/contract"),
    "attacks/best_of_many.py": Plan(6, "attacks/best_of_many", "attacks/contract"),
    "attacks/label_climb.py": Plan(6, "attacks/label_climb", "attacks/contract dryrun/labels"),
    "attacks/risk_probe.py": Plan(6, "attacks/risk_probe", "attacks/contract"),
    "attacks/linear_probe.py": Plan(4, "attacks/adversaries", "attacks/contract"),
    "attacks/enumeration.py": Plan(4, "attacks/label_attacks", "attacks/contract"),
    "leaderboard/board.py": Plan(
        10,
        "leaderboard/board leaderboard/refusals leaderboard/one_board leaderboard/hill_climb",
        "leaderboard/defences attacks/label_attacks",
    ),
    "leaderboard/judge.py": Plan(
        16,
        "leaderboard/board leaderboard/refusals leaderboard/one_board leaderboard/hill_climb",
        "leaderboard/defences leaderboard/noise attacks/label_attacks",
    ),
    "leaderboard/posterior_odds.py": Plan(
        8,
        "leaderboard/gates dryrun/plan::test_many_public_rows_are_tested_with_fewer_replications",
        "leaderboard/team_boards",
    ),
    "leaderboard/scorer.py": Plan(
        6,
        "leaderboard/board leaderboard/refusals leaderboard/one_board",
        "leaderboard/defences attacks/contract",
    ),
    "leaderboard/team_boards.py": Plan(6, "leaderboard/team_boards", "replay/games"),
    "attacks/jumps.py": Plan(10, "attacks/jumps attacks/attacks"),
    "attacks/boosting.py": Plan(
        10,
        "dryrun/reach::test_the_table_names_the_attacks attacks/label_attacks",
        "attacks/defended attacks/accounts attacks/contract dryrun/labels",
    ),
    "metrics/hints.py": Plan(2, "metrics/metrics"),
    "metrics/times.py": Plan(8, "metrics/survival metrics/contract metrics/quick"),
    "metrics/moments_of_draws.py": Plan(4, "metrics/quick"),
    "metrics/pairs_of_draws.py": Plan(4, "metrics/quick"),
    "metrics/c_index.py": Plan(1, "metrics/survival metrics/contract"),
    "metrics/uno_c_index.py": Plan(1, "metrics/survival metrics/contract"),
    "metrics/integrated_brier.py": Plan(
        1, "metrics/integrated_brier metrics/contract", "dryrun/horizons"
    ),
    "metrics/iauc.py": Plan(1, "metrics/survival metrics/contract"),
    "metrics/weights.py": Plan(4, "metrics/relative metrics/contract"),
    "metrics/r2.py": Plan(2, "metrics/relative metrics/contract"),
    "metrics/nrmse.py": Plan(2, "metrics/relative metrics/contract"),
    "metrics/rae.py": Plan(2, "metrics/relative metrics/contract"),
    "metrics/smape.py": Plan(2, "metrics/relative metrics/contract"),
    "metrics/cosine.py": Plan(2, "metrics/relative metrics/contract"),
    "metrics/kendall.py": Plan(6, "metrics/kendall metrics/contract"),
    "metrics/auroc.py": Plan(6, "metrics/classes metrics/contract"),
    "metrics/aupr.py": Plan(6, "metrics/classes metrics/contract"),
    "metrics/log_loss.py": Plan(4, "metrics/classes metrics/contract"),
    "metrics/brier.py": Plan(2, "metrics/classes metrics/contract"),
    "metrics/confusion.py": Plan(8, "metrics/classes metrics/contract"),
    "metrics/balanced_accuracy.py": Plan(2, "metrics/classes metrics/contract"),
    "metrics/f1.py": Plan(2, "metrics/classes metrics/contract"),
    "metrics/macro_f1.py": Plan(2, "metrics/classes metrics/contract"),
    "metrics/mcc.py": Plan(4, "metrics/classes metrics/contract"),
    "metrics/kappa.py": Plan(4, "metrics/classes metrics/contract"),
    "metrics/ordered_mae.py": Plan(2, "metrics/classes metrics/contract"),
    "metrics/classes.py": Plan(6, "metrics/classes metrics/contract"),
    "metrics/kernels.py": Plan(
        10,
        "metrics/metrics metrics/contract metrics/magnitudes leaderboard/groups",
        "leaderboard/releases leaderboard/gates",
    ),
    "attacks/class_model.py": Plan(6, "attacks/class_model"),
    "attacks/cox.py": Plan(8, "attacks/cox attacks/class_model"),
    "dryrun/usefulness/models/classifiers.py": Plan(8, "dryrun/usefulness/classifiers"),
    "dryrun/usefulness/models/logistic.py": Plan(4, "dryrun/usefulness/classifiers"),
    "dryrun/usefulness/models/forests.py": Plan(4, "dryrun/usefulness/classifiers"),
    "dryrun/usefulness/models/hazards.py": Plan(4, "dryrun/usefulness/hazards"),
    "attacks/least_squares.py": Plan(8, "attacks/least_squares attacks/attacks"),
    "attacks/posterior.py": Plan(
        4, "attacks/posterior attacks/adversaries", "attacks/scan attacks/between_updates"
    ),
    "dryrun/frontier.py": Plan(16, "dryrun/limits dryrun/threats", "dryrun/recommendation"),
    "dryrun/limits.py": Plan(8, "dryrun/crossings dryrun/threats", "dryrun/limits"),
    "leaderboard/releases.py": Plan(
        14,
        "leaderboard/releases leaderboard/disclosure leaderboard/adaptive_ladderboot "
        "leaderboard/own dryrun/reach::test_the_table_names_the_attacks "
        "leaderboard/gates::test_posterior_odds_publish_the_paired_test_that_they_are_about",
        "leaderboard/board leaderboard/noise",
    ),
    "leaderboard/bootstrap/resampling.py": Plan(
        10, "leaderboard/releases leaderboard/groups", "leaderboard/noise leaderboard/board"
    ),
    "leaderboard/bootstrap/bits.py": Plan(8, "leaderboard/bits", "leaderboard/releases"),
    "leaderboard/bootstrap/sums.py": Plan(
        8, "leaderboard/releases leaderboard/gates leaderboard/groups"
    ),
    "leaderboard/grain.py": Plan(4, "leaderboard/answer_grid"),
    "leaderboard/gates.py": Plan(
        10,
        "leaderboard/gates theory/leakage leaderboard/disclosure",
        "leaderboard/bits leaderboard/board leaderboard/noise",
    ),
    "leaderboard/stopping.py": Plan(8, "leaderboard/stopping leaderboard/gates"),
    "leaderboard/error.py": Plan(4, "leaderboard/error", "simulation/leaderboard_error"),
    "leaderboard/defences/cap.py": Plan(3, "leaderboard/defences leaderboard/disclosure"),
    "leaderboard/mechanisms/digest.py": Plan(3, "leaderboard/digest theory/transcripts"),
    "theory/caps.py": Plan(4, "theory/caps"),
    "theory/halfspaces.py": Plan(4, "theory/halfspaces"),
    "theory/transcripts.py": Plan(4, "theory/transcripts theory/leakage"),
    "theory/levels.py": Plan(4, "theory/levels"),
    "theory/suprema.py": Plan(4, "theory/levels"),
    "theory/worst_radius.py": Plan(5, "theory/levels theory/standardised", "theory/bound_table"),
    "theory/standardised.py": Plan(5, "theory/standardised", "theory/bound_table"),
    "theory/losses.py": Plan(4, "theory/gains theory/budget"),
    "theory/searches.py": Plan(4, "theory/gains theory/standardised"),
    "attacks/label_saving.py": Plan(4, "attacks/label_saving", "attacks/contract"),
    "attacks/level_saving.py": Plan(4, "attacks/by_levels", "attacks/contract"),
    "attacks/absolute_saving.py": Plan(4, "attacks/absolute_saving", "attacks/contract"),
    "attacks/coordinate_probing.py": Plan(4, "attacks/by_levels", "attacks/contract"),
    "attacks/correlation_saving.py": Plan(4, "attacks/correlation_saving", "attacks/contract"),
    "attacks/by_levels.py": Plan(4, "attacks/by_levels", "attacks/contract"),
    "attacks/resubmission.py": Plan(4, "attacks/resubmission", "attacks/contract"),
    "attacks/crowds.py": Plan(4, "attacks/crowds", "attacks/contract"),
    "attacks/areas.py": Plan(4, "attacks/areas", "attacks/contract"),
    "attacks/logits.py": Plan(4, "attacks/logits", "attacks/contract"),
    "attacks/orders.py": Plan(8, "attacks/orders", "attacks/contract"),
    "attacks/precision_sums.py": Plan(6, "attacks/precision_sums", "attacks/contract"),
    "attacks/rank_sums.py": Plan(6, "attacks/rank_sums", "attacks/contract"),
    "attacks/weighted_probabilities.py": Plan(
        6, "attacks/weighted_probabilities", "attacks/contract"
    ),
    "attacks/classes.py": Plan(3, "attacks/class_search"),
    "attacks/class_search.py": Plan(4, "attacks/class_search", "attacks/contract"),
    "dryrun/coarse_boards.py": Plan(4, "dryrun/plan", "dryrun/groups"),
    "attacks/random_search.py": Plan(4, "attacks/by_scores", "attacks/contract"),
    "attacks/finite_differences.py": Plan(4, "attacks/by_scores", "attacks/contract"),
    "attacks/greedy_climb.py": Plan(4, "attacks/adversaries", "attacks/defended attacks/accounts"),
    "attacks/hypotheses.py": Plan(4, "attacks/scan", "attacks/contract"),
    "attacks/between_updates.py": Plan(4, "attacks/between_updates", "attacks/contract"),
    "simulation/outcomes.py": Plan(4, "simulation/outcomes simulation/damaged_tables"),
    "simulation/session.py": Plan(
        4,
        "simulation/leaderboard_error attacks/label_attacks::test_ranks_are_shown_and_no_score "
        "leaderboard/defences::"
        "test_participants_know_the_score_that_a_board_of_scores_begins_with",
        "simulation/replicate",
    ),
    "simulation/tracing.py": Plan(4, "attacks/adversaries attacks/contract"),
    "simulation/comparisons.py": Plan(4, "simulation/comparisons"),
    "simulation/quantiles.py": Plan(4, "simulation/quantiles simulation/outcomes"),
    "data/checks.py": Plan(5, "data/table data/any_table data/recipes"),
    "data/downloads.py": Plan(8, "data/downloads", "workflow/downloads"),
    "data/leaks.py": Plan(4, "data/leaks"),
    "data/grouped.py": Plan(6, "data/grouped"),
    "data/several.py": Plan(10, "data/several", "data/response_columns"),
    "data/response_columns.py": Plan(8, "data/response_columns", "data/several"),
    "attacks/units.py": Plan(6, "attacks/units", "attacks/groups"),
    "metrics/composite.py": Plan(
        10, "metrics/composite metrics/by_group metrics/weighted", "leaderboard/groups"
    ),
    "metrics/row_terms.py": Plan(6, "metrics/row_terms metrics/weighted"),
    "metrics/composite_names.py": Plan(6, "metrics/composite metrics/by_group metrics/weighted"),
    "metrics/parts.py": Plan(6, "metrics/by_group metrics/weighted metrics/composite"),
    "data/weights.py": Plan(4, "data/weights"),
    "dryrun/noise.py": Plan(2, "dryrun/groups"),
    "dryrun/assumptions/stated.py": Plan(2, "dryrun/groups"),
    "data/groupings.py": Plan(3, "data/layout data/table", "dryrun/assumptions/known_cases"),
    "data/correlation.py": Plan(4, "data/simulated"),
    "leaderboard/charges.py": Plan(6, "leaderboard/charges", "questions/meter_files"),
    "leaderboard/evidence.py": Plan(4, "leaderboard/evidence"),
    "replay/learnt.py": Plan(8, "replay/learnt"),
    "replay/sent_files.py": Plan(4, "replay/sent_files"),
    "replay/structure.py": Plan(4, "replay/several"),
    "replay/row_columns.py": Plan(4, "replay/several replay/reading"),
    "replay/matrices.py": Plan(4, "replay/several"),
    "replay/average_ranks.py": Plan(4, "replay/several"),
    "replay/by_response.py": Plan(3, "replay/several"),
    "questions/meter_question.py": Plan(8, "questions/meter_files"),
    "questions/meter_files.py": Plan(5, "questions/meter_files"),
    "replay/games.py": Plan(4, "replay/games", "replay/analyses"),
    "replay/ranks.py": Plan(4, "replay/ranks"),
    "replay/fresh_splits.py": Plan(4, "replay/fresh_splits"),
    "replay/resolution.py": Plan(4, "replay/resolution"),
    "replay/comparisons.py": Plan(4, "replay/comparisons"),
    "ranking/resampled_scores.py": Plan(4, "ranking/resampled_scores replay/ranks"),
    "ranking/rank_sets.py": Plan(6, "ranking/rank_sets"),
    "ranking/best_score.py": Plan(4, "ranking/rank_sets"),
    "ranking/bayes_factor.py": Plan(3, "ranking/final_ranking"),
    "ranking/rule.py": Plan(6, "ranking/final_ranking ranking/rule"),
    "ranking/decision.py": Plan(3, "questions/winner ranking/rule"),
    "replay/winner.py": Plan(4, "replay/winner replay/ranks live/same_winner"),
    "replay/winner_rule.py": Plan(2, "replay/winner"),
    "ranking/soft_choice.py": Plan(5, "ranking/soft_choice"),
    "ranking/stability.py": Plan(3, "ranking/stability"),
    "ranking/paired.py": Plan(3, "ranking/final_ranking replay/comparisons"),
    "ranking/final_ranking.py": Plan(6, "ranking/final_ranking"),
    "questions/winner.py": Plan(5, "questions/winner"),
    "questions/truth_and_files.py": Plan(3, "questions/winner questions/design"),
    "final_rows/teams.py": Plan(6, "final_rows/teams"),
    "final_rows/chances.py": Plan(6, "final_rows/chances"),
    "final_rows/splits.py": Plan(5, "final_rows/splits"),
    "final_rows/telling_apart.py": Plan(4, "final_rows/splits final_rows/calibration"),
    "final_rows/of_numbers.py": Plan(5, "final_rows/of_numbers"),
    "final_rows/of_table.py": Plan(3, "questions/design final_rows/of_dryrun"),
    "final_rows/of_dryrun.py": Plan(4, "final_rows/of_dryrun"),
    "dryrun/who_wins.py": Plan(4, "dryrun/who_wins"),
    "report/dryrun_ways.py": Plan(2, "report/dryrun"),
    "report/scripts.py": Plan(2, "report/scripts"),
    "figures/cells.py": Plan(4, "figures/cells figures/threat_map figures/attack_map"),
    "questions/design.py": Plan(3, "questions/design"),
    "questions/design_answer.py": Plan(5, "questions/design"),
    "questions/design_of_dryrun.py": Plan(4, "questions/design_of_dryrun"),
    "data/drawn_split.py": Plan(4, "data/drawn_split"),
    "config/dryrun_command.py": Plan(3, "cli/command questions/design_of_dryrun"),
    "questions/design_sources.py": Plan(4, "questions/design"),
    "replay/label_numbers.py": Plan(3, "replay/reading replay/cleaning"),
    "dryrun/answer.py": Plan(4, "dryrun/recommendation dryrun/resolution"),
    "dryrun/shares.py": Plan(4, "dryrun/first_answer dryrun/recommendation figures/dry_run"),
    "leaderboard/naming.py": Plan(4, "leaderboard/naming dryrun/recommendation"),
    "dryrun/proof.py": Plan(4, "dryrun/recommendation", "dryrun/plan dryrun/labels"),
    "dryrun/candidates.py": Plan(4, "dryrun/limits dryrun/threats"),
    "dryrun/choice.py": Plan(4, "dryrun/recommendation"),
    "dryrun/estimates.py": Plan(4, "dryrun/unattacked dryrun/published"),
    "dryrun/chance.py": Plan(4, "dryrun/threats dryrun/playing"),
    "dryrun/thresholds.py": Plan(4, "dryrun/plan", "dryrun/own_components"),
    "dryrun/published.py": Plan(4, "dryrun/published dryrun/unattacked"),
    "dryrun/reach.py": Plan(
        4,
        "dryrun/reach::test_the_table_names_the_attacks "
        "dryrun/reach::test_no_usual_board_is_left_without_an_adversary",
    ),
    "dryrun/unattacked.py": Plan(4, "dryrun/unattacked dryrun/published"),
    "dryrun/assumptions/checks/few_values.py": Plan(
        3, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checks/groups.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checks/heavy_tails.py": Plan(
        3, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checks/near_duplicates.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checks/serial_order.py": Plan(
        3, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checks/two_humps.py": Plan(2, "dryrun/assumptions/known_cases"),
    "dryrun/assumptions/checks/unequal_covariance.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/false_alarms"
    ),
    "dryrun/assumptions/checks/unequal_variance.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/columns.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/residuals.py": Plan(
        4, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/lags.py": Plan(4, "dryrun/lags"),
    "dryrun/assumptions/sample.py": Plan(
        3, "dryrun/assumptions/known_cases dryrun/assumptions/numbers"
    ),
    "dryrun/assumptions/checking.py": Plan(
        3, "dryrun/assumptions/known_cases dryrun/assumptions/answers"
    ),
    "live/standings.py": Plan(4, "live/standings", "live/pages"),
    "live/quotas.py": Plan(
        4,
        "live/quotas live/hostile::"
        "test_refused_files_of_a_team_fill_the_log_at_a_bounded_rate live/finals",
    ),
    "live/tokens.py": Plan(3, "live/tokens"),
    "live/finals.py": Plan(3, "live/finals live/standings"),
    "live/contents.py": Plan(3, "live/contents"),
    "live/audit.py": Plan(
        4, "live/audit live/database::test_a_board_made_before_is_the_same_and_goes_on"
    ),
    "live/heads.py": Plan(4, "live/audit"),
    "live/scoring.py": Plan(4, "live/scoring"),
    "live/export.py": Plan(4, "live/export", "live/finals"),
    "live/export_log.py": Plan(4, "live/export live/several"),
    "live/showing.py": Plan(4, "live/showing live/audit"),
    "live/leak.py": Plan(4, "live/leak"),
    "live/alerts.py": Plan(4, "live/alerts"),
    "live/clock.py": Plan(4, "live/quotas live/export"),
    "live/submission_file.py": Plan(5, "live/submission_file live/any_file"),
    "live/submission_text.py": Plan(5, "live/submission_file live/any_file live/several_files"),
    "live/submission_matrix.py": Plan(6, "live/several_files"),
    "live/truth.py": Plan(6, "live/several live/truth_file live/live_board"),
    "live/alike.py": Plan(5, "live/several"),
    "live/of_labels.py": Plan(5, "live/label_boards"),
    "leaderboard/label_sums.py": Plan(8, "leaderboard/label_meter"),
    "live/told.py": Plan(3, "live/several live/names_and_times"),
    "live/predictions.py": Plan(3, "live/several live/several_files live/live_board"),
    "live/truth_file.py": Plan(5, "live/truth_file live/several"),
    "live/web/guard.py": Plan(4, "live/guard live/web"),
    "live/rules.py": Plan(3, "live/quotas live/live_board"),
    "live/answers.py": Plan(3, "live/standings live/quotas", "live/live_board"),
    "questions/answer.py": Plan(3, "questions/leak questions/replay_log"),
    "questions/dry_run.py": Plan(4, "questions/dry_run"),
    "questions/frames.py": Plan(
        3,
        "questions/leak questions/dry_run::test_a_mistake_is_one_sentence questions/dry_run::"
        "test_cells_of_any_kind_are_texts_in_the_file_and_numbers_stay_numbers",
        "questions/dry_run",
    ),
    "questions/leak.py": Plan(4, "questions/leak cli/leak"),
    "questions/leak_question.py": Plan(4, "questions/leak cli/leak"),
    "questions/leak_notes.py": Plan(4, "questions/leak_notes cli/leak"),
    "questions/replay_log.py": Plan(3, "questions/replay_log"),
    "figures/curves.py": Plan(4, "figures/growth figures/trajectories"),
    "figures/heat.py": Plan(3, "figures/heat figures/attack_map"),
    "figures/spread.py": Plan(4, "figures/spread figures/points", "figures/kinds"),
    "figures/findings.py": Plan(4, "figures/findings figures/captions"),
    "figures/trace_findings.py": Plan(4, "figures/trace_findings"),
    "figures/selection.py": Plan(4, "figures/selection"),
    "figures/gain_by_rows.py": Plan(3, "questions/leak"),
    "figures/kinds/traces.py": Plan(3, "figures/captions", "figures/kinds"),
    "figures/kinds/growth.py": Plan(4, "figures/growth"),
    "figures/final_ranks.py": Plan(3, "figures/final_ranks"),
    "figures/rank_blobs.py": Plan(3, "figures/final_ranks"),
    "figures/significance_map.py": Plan(3, "figures/final_ranks"),
    "figures/ranking_stability.py": Plan(3, "figures/final_ranks"),
    "figures/replay/ranks.py": Plan(3, "figures/replay"),
}
