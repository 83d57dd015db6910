"""The pages of keys."""
