"""Decoders measured on tasks: what is run, how it is recorded, and what the records say."""
