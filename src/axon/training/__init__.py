"""The recipe that made the bundled model, and training of one's own."""
