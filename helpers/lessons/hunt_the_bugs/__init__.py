"""What the lesson hunt_the_bugs offers."""

EXPLORERS = ["explore_hiding_examples", "explore_hunt"]
EXERCISES = ["is_right"]
