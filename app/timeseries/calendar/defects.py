"""Defects of a series: which entry is wrong, and what to send instead."""

from collections.abc import Sequence
from typing import NamedTuple

MAX_DEFECTS = 20


class Defect(NamedTuple):
    """``entry`` is the index in the series of what is at fault, ``issue`` says what is wrong."""

    entry: int
    issue: str


class SeriesDefects(ValueError):  # noqa: N818 (it carries several)
    """``defects``: what is wrong, in the order of the series, ``MAX_DEFECTS`` at most."""

    def __init__(self, defects: Sequence[Defect]) -> None:
        self.defects: list[Defect] = sorted(defects)[:MAX_DEFECTS]
        super().__init__("; ".join(f"[{entry}] {issue}" for entry, issue in self.defects))
