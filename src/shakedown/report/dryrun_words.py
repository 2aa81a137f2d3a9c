"""The words of the dry run's page, for readers who know no paper on leaderboards."""

#: What each leaderboard does, in a sentence or two.
LEADERBOARDS = {
    "full_disclosure": "Shows the score of every submission as it is, which is what the usual "
    "platforms do.",
    "kaggle": "Shows the score of every submission, rounded to five decimals.",
    "general_ladder": "Shows a new score only where it is better than the best so far by more than "
    "a step η, and rounds it to a multiple of η; otherwise it shows the best so far again.",
    "simplified_ladder": "Shows a new score only where it is better than the best so far, rounded "
    "to a multiple of η; otherwise it shows the best so far again.",
    "parameter_free_ladder": "Shows a new score only where it is better than the best so far by "
    "more than its standard error, compared row by row; otherwise it shows the best so far again. "
    "Scores are rounded to a multiple of 1 / (number of public rows).",
    "ladder": "Shows a new score only where a paired t-test at level α, row by row, says that it "
    "is better than the best so far; otherwise it shows the best so far again. Scores are rounded "
    "to a multiple of 1 / (number of public rows).",
    "ladderboot": "Takes a submission as the new best only where a paired t-test at level α, row "
    "by row, says that it is better than the best so far. After every submission it shows a noisy "
    "score of the best one: the mean over b bootstrap samples of the public rows, drawn anew.",
    "bayesboot_ladder": "Shows a new score only where the odds that it is better than the best so "
    "far, by a Bayesian bootstrap of the public rows, reach a bound; otherwise it shows the best "
    "so far again. Scores are rounded to a multiple of 1 / (number of public rows).",
    "bayesboot_ladderboot": "Takes a submission as the new best only where the odds that it is "
    "better than the best so far, by a Bayesian bootstrap of the public rows, reach a bound. After "
    "every submission it shows a noisy score of the best one: the mean over b bootstrap samples of "
    "the public rows, drawn anew.",
    "rank_board": "Shows no score, but the ranks of the participants by their best score so far.",
}

#: What each setting of a leaderboard does.
PARAMETERS = {
    "alpha": (
        "α",
        "Level of the paired t-test: the smaller it is, the larger a gain must be to count.",
    ),
    "posterior_odds": (
        "posterior odds",
        "Odds that a submission must reach to count as better: the higher the bound, the larger a "
        "gain must be.",
    ),
    "eta": (
        "η",
        "Step of the shown scores, and the gain that is needed, on the scale on which the response "
        "has standard deviation 1.",
    ),
    "b": (
        "b",
        "Number of bootstrap samples that a shown score is the mean of: the smaller it is, the "
        "noisier the score.",
    ),
}

#: Kinds of participants: name, and what they do.
PARTICIPANTS = {
    "modeller": (
        "The strongest of these",
        "Knows for each number of submissions which of these ways overfits most, and takes it.",
    ),
    "step_forward": (
        "Feature by feature",
        "In each round tries every feature that is left, and adds to the model the one that the "
        "leaderboard likes best.",
    ),
    "freedman": (
        "Best single features",
        "Submits a model of each feature alone, and fits its last model to those that scored best "
        "(Freedman's attack).",
    ),
    "best_of_many": (
        "Careless, but honest",
        "Fits many models to the training rows, submits them all, and keeps the one that scored "
        "best.",
    ),
    "paper_recipe": (
        "A fixed recipe",
        "Feature by feature as in the paper by Chaibub Neto and colleagues, with one round for "
        "every 50 features.",
    ),
}

#: Why a lane stopped.
REASONS = {
    "narrow": "the interval was narrow enough",
    "time": "the time was up",
    "most": "the most replicates that were asked for were played",
}

#: What the notes on a table stand for: words of a note, and why it was done.
WHY = (
    (
        "dropped as constant",
        "A column that is the same in all rows tells nobody anything, and cannot be scaled.",
    ),
    ("dropped as identical", "A column that repeats another one adds nothing but its name."),
    (
        "filled with the column's median",
        "Models need a number in every cell; the median keeps the row and adds no outlier.",
    ),
    ("with missing cells dropped", "Models need a number in every cell."),
    ("dropped for their", "Models need a number in every cell."),
    ("without a response", "A prediction for such a row cannot be scored."),
    ("empty row", "Spreadsheets append them; nothing stands there."),
    ("empty column", "Nothing stands there."),
    (
        "same features as an earlier row",
        "Whoever knows one of two such rows can copy its answer to the other: look at them.",
    ),
)

WORDS = (
    (
        "training, public and final rows",
        "Participants get the answers of the training rows. The leaderboard scores the public rows "
        "while the challenge runs. The final rows are scored once, at its end, and decide it.",
    ),
    ("public score, final score", "The score of a model on the public or on the final rows."),
    (
        "overfit, Δ",
        "How much better a model looks on the public rows than it is on the final ones, as a "
        "negative number: public − final for a score that should be small, final − public for one "
        "that should be large.",
    ),
    ("tolerated overfit", "The Δ that you accept; the key `thresholds`."),
    (
        "safe submissions",
        "The largest number of submissions with which overfit stays within what you tolerate.",
    ),
    (
        "interval, counted cautiously",
        "The plays are a sample of all that could have been. The 95 % interval is where the true "
        "number lies 95 times in 100; counted cautiously means its lower end, which is too high in "
        "at most 2.5 of 100 cases.",
    ),
    (
        "not sure, not decided",
        "The interval reaches from too few submissions to enough of them: these plays cannot tell, "
        "more of them might. It does not mean that the leaderboard is unsafe.",
    ),
    (
        "replicate, play",
        "All attacks against all leaderboards once, with an own shuffle of the response.",
    ),
    (
        "smallest gain that shows",
        "The smallest true improvement after which the shown score gets better in 4 of 5 cases.",
    ),
    (
        "shown score is off by",
        "Mean distance, over a series of honest submissions, between the score that is shown and "
        "the final score of the submission that it stands for.",
    ),
    (
        "order kept",
        "Rank correlation between shown and final scores over a series of honest submissions: 1 "
        "where the leaderboard puts them in their true order, 0 where it tells nothing.",
    ),
    (
        "bootstrap sample",
        "As many rows as there are, drawn from them with replacement: some come twice, some not at "
        "all.",
    ),
)
