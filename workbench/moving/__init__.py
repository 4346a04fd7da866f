"""What a reader moves: controls, a pure computation, what is drawn from it, and what answers the hand."""
