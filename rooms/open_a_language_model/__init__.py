"""What the lesson open_a_language_model offers."""

EXPLORERS = ["explore_head_wall", "explore_next_token", "explore_residual_stream"]
EXERCISES = []
