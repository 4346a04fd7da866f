"""What the lesson remember_keys_and_values offers."""

EXPLORERS = ["explore_cache", "explore_cache_bytes"]
EXERCISES = ["write_one_token", "shared_attention"]
