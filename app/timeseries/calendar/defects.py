"""Defects of a series: which entry is wrong, and what to send instead."""

from collections.abc import Sequence
from typing import NamedTuple

MAX_DEFECTS = 20


class Defect(NamedTuple):
    """``entry`` is the index of the faulty entry, ``issue`` the defect."""

    entry: int
    issue: str


class SeriesDefects(ValueError):  # noqa: N818 (it carries several)
    """``defects``: in the order of the series, at most ``MAX_DEFECTS``."""

    def __init__(self, defects: Sequence[Defect]) -> None:
        self.defects: list[Defect] = sorted(defects)[:MAX_DEFECTS]
        super().__init__("; ".join(f"[{entry}] {issue}" for entry, issue in self.defects))
