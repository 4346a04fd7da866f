"""What the lesson read_a_model offers."""

EXPLORERS = ["explore_configurations", "explore_model_lines", "explore_own_configuration"]
EXERCISES = []
