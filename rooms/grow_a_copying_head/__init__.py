"""What the lesson grow_a_copying_head offers."""

EXPLORERS = ["explore_copying", "explore_growing_heads", "explore_two_heads", "explore_where_it_stops"]
EXERCISES = ["induction_score"]
