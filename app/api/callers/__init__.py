"""Callers: their keys and addresses, their limits, and their usage."""
