"""Just enough SVG for the pictures of ``docs/developing/accuracy.md``: axes, lines, bands, dots."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

Point = tuple[float, float]

COLOURS = ("#1f5fa8", "#d9722b", "#3f8f4f", "#8a4fa3", "#777777", "#b03a48")
MARGIN = 44
_STYLE = "font-family='sans-serif' font-size='11' fill='#333'"


@dataclass
class Chart:
    """One chart in data coordinates; ``left``, ``top`` place it in the picture (pixels)."""

    title: str
    x_range: Point
    y_range: Point
    left: float = 0.0
    top: float = 0.0
    width: float = 400.0
    height: float = 260.0
    parts: list[str] = field(default_factory=list)

    def place(self, x: float, y: float) -> Point:
        """Pixels of a point in data coordinates."""
        inner_width, inner_height = self.width - 1.5 * MARGIN, self.height - 2 * MARGIN
        share_x = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        share_y = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return (
            self.left + MARGIN + share_x * inner_width,
            self.top + self.height - MARGIN - share_y * inner_height,
        )

    def _path(self, points: Iterable[Point]) -> str:
        placed = (self.place(*point) for point in points)
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)

    def line(self, points: Iterable[Point], colour: str, dash: str = "") -> None:
        """A line through the points."""
        style = f"stroke='{colour}' stroke-width='1.5' stroke-dasharray='{dash}' fill='none'"
        self.parts.append(f"<polyline points='{self._path(points)}' {style}/>")

    def band(self, points: Iterable[Point], colour: str) -> None:
        """A filled outline."""
        self.parts.append(f"<polygon points='{self._path(points)}' fill='{colour}'/>")

    def dot(self, point: Point, colour: str) -> None:
        """A dot."""
        x, y = self.place(*point)
        self.parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3.5' fill='{colour}'/>")

    def text(self, point: Point, words: str, anchor: str = "start") -> None:
        """Words beside a point."""
        x, y = self.place(*point)
        place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'"
        self.parts.append(f"<text {place} {_STYLE}>{escape(words)}</text>")

    def axes(
        self,
        x_ticks: Sequence[tuple[float, str]],
        y_ticks: Sequence[tuple[float, str]],
        labels: tuple[str, str] = ("", ""),
    ) -> None:
        """Axes with labelled ticks, title and labels."""
        bottom, start = self.y_range[0], self.x_range[0]
        self.line([(start, self.y_range[1]), (start, bottom), (self.x_range[1], bottom)], "#999")
        for value, words in x_ticks:
            x, y = self.place(value, bottom)
            self._label(x, y + 15, words, "middle")
        for value, words in y_ticks:
            x, y = self.place(start, value)
            self._label(x - 5, y + 4, words, "end")
        self._label(self.left + self.width / 2, self.top + 18, self.title, "middle")
        self._label(self.left + self.width / 2, self.top + self.height - 10, labels[0], "middle")
        self._label(self.left + 4, self.top + 34, labels[1], "start")

    def _label(self, x: float, y: float, words: str, anchor: str) -> None:
        place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'"
        self.parts.append(f"<text {place} {_STYLE}>{escape(words)}</text>")


def picture(charts: Sequence[Chart], width: float, height: float) -> str:
    """The text of an SVG file that holds the charts."""
    body = "\n".join(part for chart in charts for part in chart.parts)
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}'>"
    return f"{head}\n<rect width='100%' height='100%' fill='white'/>\n{body}\n</svg>\n"
