"""Errors: the one shape of every response that is not 2xx, and its content."""
