"""What the lesson keep_scores_in_scale offers."""

EXPLORERS = ["explore_luck"]
EXERCISES = ["divisor"]
