"""What the lesson check_the_notes offers."""

EXPLORERS = ["explore_notes", "explore_wrong_number"]
EXERCISES = ["distrusted_rows", "suspect"]
