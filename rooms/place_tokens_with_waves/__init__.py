"""What the lesson place_tokens_with_waves offers."""

EXPLORERS = ["explore_places", "explore_encoding", "explore_shuffle"]
EXERCISES = ["is_order_blind", "sinusoidal_positional_encoding"]
