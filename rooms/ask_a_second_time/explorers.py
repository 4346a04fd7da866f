"""Why one layer is not enough: a second one asks what the first has written, and a neuron makes an *and* of a sum."""

from rooms.ask_a_second_time.neuron import explore_neuron  # noqa: F401
from rooms.ask_a_second_time.two_layers import explore_two_layers  # noqa: F401
