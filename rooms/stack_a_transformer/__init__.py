"""What the lesson stack_a_transformer offers."""

EXPLORERS = ["explore_architecture", "explore_wrong_decoder"]
EXERCISES = ["decoder_layer", "looks_ahead"]
