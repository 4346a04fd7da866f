"""What the lesson attend_by_hand offers."""

EXPLORERS = ["explore_question", "explore_similar_words", "explore_three_tokens", "explore_wrong_turns"]
EXERCISES = ["mix_similar", "output_rows", "two_tokens"]
