"""What the lesson who_is_she offers."""

EXPLORERS = ["explore_lookup", "explore_real_head", "explore_she"]
EXERCISES = []
