"""What the lesson turn_positions offers."""

EXPLORERS = ["explore_reach", "explore_rotation"]
EXERCISES = ["rotate"]
