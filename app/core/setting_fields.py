"""Declares the fields of ``Settings``."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Setting:
    """One environment variable: its name, default as a string, reader and meaning."""

    name: str
    default: str
    read: Callable[[str], Any]
    help: str


def setting_field(
    name: str, default: str, read: Callable[[str], Any], help: str, *, is_secret: bool = False
) -> Any:
    """Declare a field of ``Settings`` that is read from the variable ``name``."""
    setting = Setting(name, default, read, help)
    return field(metadata={"setting": setting}, repr=not is_secret)
