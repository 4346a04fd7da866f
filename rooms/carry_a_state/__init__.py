"""What the lesson carry_a_state offers."""

EXPLORERS = ["explore_recall", "explore_state"]
EXERCISES = ["delta_rule"]
