"""What the lesson ask_a_real_encoder offers."""

EXPLORERS = ["explore_own_text", "explore_real_heads"]
EXERCISES = ["previous_token_score", "same_word_score"]
