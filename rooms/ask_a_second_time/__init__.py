"""What the lesson ask_a_second_time offers."""

EXPLORERS = ["explore_neuron", "explore_two_layers"]
EXERCISES = ["add_and_think"]
