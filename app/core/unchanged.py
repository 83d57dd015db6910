"""The default of arguments and settings for which None is a value: what is stored stays."""

from enum import Enum


class Unchanged(Enum):
    """The type of `UNCHANGED`."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED
