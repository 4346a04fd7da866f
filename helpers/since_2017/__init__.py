"""What became of attention since 2017, in plain NumPy."""
