"""What the lesson let_it_write offers."""

EXPLORERS = ["explore_writing"]
EXERCISES = ["next_token", "merge_pairs"]
