"""What the lesson ask_another_text offers."""

EXPLORERS = ["explore_translation"]
EXERCISES = ["cross_attention"]
