"""Members: one forecasting method a file; ``kinds`` defines the two kinds."""
