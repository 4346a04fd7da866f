"""What the lesson count_the_cost offers."""

EXPLORERS = ["explore_cost", "explore_novel", "explore_stream"]
EXERCISES = ["count_operations", "streamed_row"]
