"""Requests: the fields and base classes of their schemas."""
