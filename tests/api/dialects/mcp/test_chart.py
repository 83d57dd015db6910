"""Charts are small PNG files that other programs can read, for any numbers."""

import io

import numpy as np
import pytest
from PIL import Image

from app.api.dialects.mcp.chart import (
    HEIGHT,
    PALETTE,
    WIDTH,
    BandChart,
    draw_chart,
    value_labels,
)

RED, BLUE = PALETTE[5], PALETTE[3]


def band_chart(values: list[float], flagged: tuple[int, ...] = ()) -> BandChart:
    known = np.array(values, dtype=float)
    marks = np.zeros(known.size, dtype=bool)
    marks[list(flagged)] = True
    times = [f"2024-01-{1 + n % 28:02d}T00:00:00" for n in range(known.size)]
    return BandChart(times, known, known - 1, known - 2, known + 2, marks)


def pixels(png: bytes) -> np.ndarray:
    image = Image.open(io.BytesIO(png))
    assert image.format == "PNG"
    image.load()
    return np.asarray(image.convert("RGB"))


def rows_of(drawn: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    return np.argwhere((drawn == colour).all(axis=2))


def test_a_chart_shows_line_band_and_what_is_flagged_where_it_is() -> None:
    drawn = pixels(draw_chart(band_chart([10.0] * 20 + [50.0] + [10.0] * 20, flagged=(20,))))
    assert drawn.shape == (HEIGHT, WIDTH, 3)
    assert rows_of(drawn, BLUE).size
    red = rows_of(drawn, RED)
    assert red[:, 0].max() < HEIGHT / 4  # the spike is at the top
    assert abs(red[:, 1].mean() - (90 + WIDTH - 16) / 2) < 20  # and in the middle


@pytest.mark.parametrize(
    "values",
    [
        [],
        [5.0],
        [5.0, 5.0],
        [0.0] * 10,
        [-1e100, 1e100],
        [1e-300, 2e-300, 1e-300],
        [np.nan] * 5,
        [1.0, np.nan, 3.0, np.nan],
    ],
)
def test_any_numbers_make_a_chart(values: list[float]) -> None:
    assert pixels(draw_chart(band_chart(values))).shape == (HEIGHT, WIDTH, 3)


def test_the_chart_of_many_restless_points_is_small() -> None:
    noise = np.random.default_rng(1).normal(size=50_000)
    assert len(draw_chart(band_chart(noise.tolist(), flagged=tuple(range(0, 50_000, 2))))) < 60_000


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1234.5, ("0", "1,234.5")),
        (100000.123, 100000.456, ("100,000.12", "100,000.46")),
        (-100000.456, -100000.123, ("-100000.46", "-100000.12")),
        (123456789.12, 123456789.67, ("123456789.12", "123456789.67")),
        (1.2340e14, 1.2349e14, ("1.234e+14", "1.2349e+14")),
        (-1e100, 1e100, ("-1e+100", "1e+100")),
    ],
)
def test_the_labels_of_the_axis_have_the_digits_that_distinguish_them(
    low: float, high: float, labels: tuple[str, str]
) -> None:
    assert value_labels(low, high) == labels


def test_a_long_label_moves_the_axis_and_is_drawn_whole() -> None:
    drawn = pixels(draw_chart(band_chart([123456789.12, 123456789.67])))
    grey = rows_of(drawn, PALETTE[2])
    assert (drawn[:, :90] == PALETTE[2]).all(axis=2).any()
    assert grey[:, 1].min() < 10
    axis = int(np.bincount(grey[:, 1]).argmax())
    assert axis > 90
    assert not (drawn[:, axis - 6 : axis - 1] == PALETTE[2]).all(axis=2).any()
