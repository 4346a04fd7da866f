"""What is drawn: colours by role, and pictures of lines, words and numbers that stay crisp at every zoom."""
