"""What several rooms draw or ask: what a lesson alone needs lies in its own room."""
