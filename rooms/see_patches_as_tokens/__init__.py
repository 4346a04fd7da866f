"""What the lesson see_patches_as_tokens offers."""

EXPLORERS = ["explore_patch_shuffle", "explore_patches"]
EXERCISES = ["patchify"]
