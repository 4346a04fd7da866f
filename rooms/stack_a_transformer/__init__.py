"""What the lesson stack_a_transformer offers."""

EXPLORERS = ["explore_towers", "explore_wrong_decoder"]
EXERCISES = ["decoder_layer", "looks_ahead"]
