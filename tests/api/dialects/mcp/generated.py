"""Corrections to generated messages for rules that a schema cannot express."""

from typing import Any

__all__ = ["PATH_PREFIX", "make_valid"]

PATH_PREFIX = "/mcp"


def make_valid(body: dict[str, Any]) -> None:
    """Name a method that exists and calls no other endpoint."""
    body["method"] = "tools/list"
