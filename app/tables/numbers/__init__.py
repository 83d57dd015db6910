"""Parse numbers and durations in cells."""
