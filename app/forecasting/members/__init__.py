"""Members: one forecasting method a file; ``types`` has their two kinds, by frequency."""
