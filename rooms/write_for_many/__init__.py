"""What the lesson write_for_many offers."""

EXPLORERS = ["explore_pages", "explore_seats"]
EXERCISES = ["enter"]
