"""Recognize codes, keys and marks of missing values that look like numbers."""
