"""The lecture notes' worked examples, their words and where each item is taught."""
