"""What the lesson who_is_she offers."""

EXPLORERS = ["explore_lookup", "explore_she"]
EXERCISES = []
