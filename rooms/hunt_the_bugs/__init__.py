"""What the lesson hunt_the_bugs offers."""

EXPLORERS = ["explore_hiding_examples", "explore_hunt", "explore_model_hunt"]
EXERCISES = ["is_right", "serves_right"]
