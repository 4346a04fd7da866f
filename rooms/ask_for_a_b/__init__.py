"""What the lesson ask_for_a_b offers."""

EXPLORERS = ["explore_ask_for_b", "explore_recipes"]
EXERCISES = ["soft_select", "softmax"]
