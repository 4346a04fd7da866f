"""What the lesson write_with_your_own offers."""

EXPLORERS = ["explore_writing", "explore_broken", "explore_own_code"]
EXERCISES = ["swiglu", "model_layer", "read", "write"]
