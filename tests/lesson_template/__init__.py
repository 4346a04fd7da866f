"""What the lesson turn_the_temperature offers. A folder to copy: CONTRIBUTING.md, *Write a new lesson*, says where each file goes."""

EXPLORERS = ["explore_heat", "explore_wrong_heat"]
EXERCISES = ["weigh"]
