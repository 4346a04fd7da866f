"""What the lesson read_rows_or_columns offers."""

EXPLORERS = ["explore_notation"]
EXERCISES = ["attention_in_columns"]
