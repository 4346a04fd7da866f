"""What the lesson carry_a_state offers."""

EXPLORERS = ["explore_recall", "explore_state"]
EXERCISES = ["linear_attention"]
