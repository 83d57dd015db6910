"""Effects of known columns: removed before a model is fitted, and added to its forecast."""
