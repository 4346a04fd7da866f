"""What the lesson split_into_heads offers."""

EXPLORERS = ["explore_binding", "explore_steer", "explore_wrong_reshape"]
EXERCISES = ["merge_heads", "split_heads"]
