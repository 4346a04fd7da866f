"""What the lesson ask_with_queries_keys_values offers."""

EXPLORERS = ["explore_question", "explore_projections"]
EXERCISES = ["self_attention"]
