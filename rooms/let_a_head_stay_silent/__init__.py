"""What the lesson let_a_head_stay_silent offers."""

EXPLORERS = ["explore_resting", "explore_sink"]
EXERCISES = ["softmax_with_sink"]
