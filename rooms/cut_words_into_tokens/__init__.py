"""What the lesson cut_words_into_tokens offers."""

EXPLORERS = ["explore_merges"]
EXERCISES = ["merge_pairs"]
