"""Series of a query as lines for SVG, drawn by the macros of `account/source_parts.html`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.core.text import short_number
from app.timeseries.types import FloatArray
from app.watching.models.sources import METRIC_LABEL
from app.watching.sources.source_checks import QueryPreview
from app.watching.sources.source_records import Labels

_HEIGHT = 40.0
ONLY_SERIES = "The only series"  # the title of a series without labels
_EDGE_MARGIN = 2.0  # so that a line at the edge is not cut


@dataclass(frozen=True)
class PreviewLine:
    """A series: its title, its minimum and maximum as text, and its path in SVG."""

    title: str
    minimum: str
    maximum: str
    width: int
    path: str


def preview_lines(series: Sequence[tuple[Labels, FloatArray]]) -> list[PreviewLine]:
    return [
        PreviewLine(
            series_title(labels) or ONLY_SERIES,
            short_number(float(np.nanmin(values)), 3),
            short_number(float(np.nanmax(values)), 3),
            max(1, len(values) - 1),
            _svg_path(values),
        )
        for labels, values in series
    ]


def drawn_times(preview: QueryPreview) -> tuple[int, int] | None:
    """Return the Unix time of the first drawn value, and the seconds between two values."""
    if not preview.series:
        return None
    values = np.array([values for _, values in preview.series])
    step = (preview.end - preview.start) // max(1, values.shape[1] - 1)
    first = int(np.argmax(~np.isnan(values).all(axis=0)))
    return preview.start + first * step, step


def series_title(labels: Labels) -> str:
    """Return the title of a series: its labels; empty without any."""
    return ", ".join(f"{name}={value}" for name, value in labels.items() if name != METRIC_LABEL)


def _svg_path(values: FloatArray) -> str:
    """Return a line from the minimum at the bottom to the maximum at the top, with gaps."""
    minimum, maximum = float(np.nanmin(values)), float(np.nanmax(values))
    span = maximum - minimum
    room = _HEIGHT - 2 * _EDGE_MARGIN
    fractions = (values - minimum) / span if span else np.full(len(values), 0.5)
    heights = _HEIGHT - _EDGE_MARGIN - room * fractions
    parts = []
    is_drawn = False
    for step, (value, height) in enumerate(zip(values, heights, strict=True)):
        if np.isnan(value):
            is_drawn = False
            continue
        parts.append(f"{'L' if is_drawn else 'M'}{step} {height:.1f}{'' if is_drawn else 'h0'}")
        is_drawn = True
    return "".join(parts)
