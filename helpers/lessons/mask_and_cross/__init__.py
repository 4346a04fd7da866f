"""What the lesson mask_and_cross offers."""

EXPLORERS = ["explore_cross", "explore_mask"]
EXERCISES = ["causal_mask", "cross_attention", "masked_softmax"]
