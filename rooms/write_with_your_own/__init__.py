"""What the lesson write_with_your_own offers."""

EXPLORERS = ["explore_broken_model", "explore_your_code", "explore_your_writing"]
EXERCISES = ["swiglu", "model_layer", "read", "write"]
