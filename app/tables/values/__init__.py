"""Choose the columns of values, read their numbers, and find what they mean."""
