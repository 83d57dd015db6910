"""What no schema can say of a valid message is put right before schemathesis sends it."""

from typing import Any

__all__ = ["PATH_PREFIX", "make_valid"]

PATH_PREFIX = "/mcp"


def make_valid(body: dict[str, Any]) -> None:
    """Call a method that there is, and no other endpoint by it."""
    body["method"] = "tools/list"
