"""What the lesson let_it_write offers."""

EXPLORERS = ["explore_writing", "explore_colour_of_a_name"]
EXERCISES = ["next_token"]
