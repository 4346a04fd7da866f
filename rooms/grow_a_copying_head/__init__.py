"""What the lesson grow_a_copying_head offers."""

EXPLORERS = ["explore_copying", "explore_growing_heads", "explore_two_heads"]
EXERCISES = ["induction_score"]
