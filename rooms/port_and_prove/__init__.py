"""What the lesson port_and_prove offers."""

EXPLORERS = ["explore_port", "explore_twins"]
EXERCISES = ["same"]
