"""What the lesson build_a_layer offers."""

EXPLORERS = ["explore_depth", "explore_neuron", "explore_two_layers"]
EXERCISES = ["encoder_layer", "layer_norm", "rms_norm"]
