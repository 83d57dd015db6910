"""Effects of holidays: removed before a model is fitted, and added to its forecast."""
