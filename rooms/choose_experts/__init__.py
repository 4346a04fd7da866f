"""What the lesson choose_experts offers."""

EXPLORERS = ["explore_router"]
EXERCISES = ["route"]
