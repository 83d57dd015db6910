"""Defects of a series: which entry is wrong, and what to send instead."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_DEFECTS = 20


@dataclass(frozen=True, order=True)
class Defect:
    """``index`` is the entry of the series at fault, ``issue`` says what is wrong with it."""

    index: int
    issue: str


class SeriesDefects(ValueError):  # noqa: N818 (it carries several)
    """``defects``: what is wrong, in the order of the series, ``MAX_DEFECTS`` at most."""

    def __init__(self, defects: Sequence[Defect]) -> None:
        self.defects: list[Defect] = sorted(defects)[:MAX_DEFECTS]
        super().__init__("; ".join(f"[{defect.index}] {defect.issue}" for defect in self.defects))
