"""The figures of a report, each a function from the data of one task to a matplotlib Figure."""
