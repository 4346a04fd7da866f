"""What the lesson train_a_transformer offers."""

EXPLORERS = ["explore_training", "explore_ablation", "explore_decoding", "watch_dates"]
EXERCISES = ["training_loop"]
