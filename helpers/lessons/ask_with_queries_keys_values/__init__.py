"""What the lesson ask_with_queries_keys_values offers."""

EXPLORERS = ["explore_projections", "explore_wrong_projections"]
EXERCISES = ["self_attention"]
