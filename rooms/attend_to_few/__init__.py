"""What the lesson attend_to_few offers."""

EXPLORERS = ["explore_best_keys", "explore_window_reach"]
EXERCISES = ["attend_to_best"]
