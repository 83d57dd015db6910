"""The cost of appends to monitors, with a full database."""
