"""Members: one forecasting method a file; ``types`` defines the short and the long ones."""
