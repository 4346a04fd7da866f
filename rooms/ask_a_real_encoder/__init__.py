"""What the lesson ask_a_real_encoder offers."""

EXPLORERS = ["explore_many_sentences", "explore_names", "explore_own_text", "explore_real_heads", "explore_two_answers"]
EXERCISES = ["previous_token_score", "right_minus_wrong", "same_word_score"]
