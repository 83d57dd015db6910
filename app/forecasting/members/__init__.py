"""Members: one forecasting method a file; ``kinds`` says of which two kinds they are."""
