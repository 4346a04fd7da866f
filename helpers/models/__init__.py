"""Models that are read, and the readings of them that are stored."""
