"""What the lesson NAME offers."""

EXPLORERS = ["explore_TOPIC", "explore_wrong_TOPIC"]
EXERCISES = ["EXERCISE"]
