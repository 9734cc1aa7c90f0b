"""What was measured, for people to read."""
