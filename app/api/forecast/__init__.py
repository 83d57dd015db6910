"""POST /forecast."""
