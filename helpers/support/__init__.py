"""What the other modules lean on: what an input must be, data files, threads, memory."""
