"""What the lesson attend_by_hand offers."""

EXPLORERS = ["explore_similar_words", "explore_three_tokens", "explore_wrong_turns"]
EXERCISES = ["mix_similar", "output_rows"]
