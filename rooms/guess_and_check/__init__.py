"""What the lesson guess_and_check offers."""

EXPLORERS = ["explore_guesses"]
EXERCISES = ["keep"]
