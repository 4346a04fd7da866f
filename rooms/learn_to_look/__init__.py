"""What the lesson learn_to_look offers."""

EXPLORERS = ["explore_slopes", "explore_learning", "explore_one_b", "explore_optimizers"]
EXERCISES = ["adam_step", "numerical_gradient"]
