"""What the lesson build_a_layer offers."""

EXPLORERS = ["explore_depth"]
EXERCISES = ["encoder_layer", "layer_norm", "rms_norm"]
