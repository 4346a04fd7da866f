"""What the lesson mask_the_future offers."""

EXPLORERS = ["explore_mask"]
EXERCISES = ["causal_mask", "masked_softmax"]
