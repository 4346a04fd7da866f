"""The lecture notes' worked examples, their words, where each item is taught, and planted bugs."""
