"""Responses: JSON, fields and headers."""
