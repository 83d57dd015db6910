"""Values that are likely slips are named, and not changed."""

import gzip
import json
import random
from collections.abc import Mapping

import numpy as np
import pytest

from app.tables.reading import Reading
from app.tables.values.suspect_values import find_suspect_values
from tests.support.server import ROOT
from tests.tables.tables import read_text

DEVELOPMENT_DATA = ROOT / "benchmarks/data/dev.jsonl.gz"
MAX_FALSE_FRACTION = 0.01  # of series of published data, which have hardly a slip
MIN_FOUND_FRACTION = 0.8


def read_days(changed: Mapping[int, str]) -> Reading:
    """Read 28 days of 70 to 90 of which some were typed otherwise, by position."""
    shuffled = random.Random(1).choices(range(70, 90), k=28)
    cells = [changed.get(i, str(value)) for i, value in enumerate(shuffled)]
    return read_text(["day,sold", *(f"2024-02-{i + 1:02},{cell}" for i, cell in enumerate(cells))])


def remarks_of(reading: Reading) -> list[str]:
    return [remark.remark for remark in reading.remarks if remark.code == "unlikely_value"]


@pytest.mark.parametrize(
    ("cell", "value", "remark"),
    [
        ("870", 870, "Line 14, 2024-02-13: 870 is about ten times its neighbors; check it."),
        (
            "8k",
            8000,
            "Line 14, 2024-02-13: 8,000 is about a hundred times its neighbors; check it.",
        ),
        ("(80)", -80, "Line 14, 2024-02-13: -80 is the only negative value; check it."),
        ("8l", 8, "Line 14: “8l” is read as 8; check it."),
        ("80x", 80, "Line 14: “80x” is read as 80; check it."),
    ],
)
def test_a_slip_is_named_with_its_row_and_read_as_it_is(
    cell: str, value: float, remark: str
) -> None:
    reading = read_days({12: cell})
    assert remarks_of(reading)[0] == remark
    assert reading.series[0].values[12] == value
    assert reading.notation.number_forms[0]["after"] == ""


@pytest.mark.parametrize(
    "changed",
    [
        {12: "240"},  # a promotion
        {12: "0"},
        dict.fromkeys((6, 13, 20), "870"),  # each week
        dict.fromkeys((6, 13, 20), "-80"),
        dict.fromkeys((6, 13, 20), "80 e"),  # flags
        dict.fromkeys(range(10), "0") | {12: "870"},
    ],
)
def test_plausible_values_are_not_named_as_slips(changed: Mapping[int, str]) -> None:
    assert remarks_of(read_days(changed)) == []


def test_the_remark_names_the_series_of_several() -> None:
    rows = [f"2024-02-{day:02},{shop},{70 + day}" for day in range(1, 29) for shop in "AB"]
    rows[21] = "2024-02-11,B,810"
    [remark] = remarks_of(read_text(["day,shop,sold", *rows]))
    assert remark.startswith("Line 23, 2024-02-11: 810 of “B” is about ten times")


def test_most_planted_slips_are_found_and_hardly_any_in_published_data() -> None:
    lines = gzip.decompress(DEVELOPMENT_DATA.read_bytes()).splitlines()
    series = [np.array(json.loads(line)["values"], dtype=float) for line in lines]
    assert sum(bool(find_suspect_values(values)) for values in series) <= MAX_FALSE_FRACTION * len(
        series
    )
    positive = [values for values in series if values.size >= 12 and values.min() > 0]
    middle = [values.size // 2 for values in positive]
    are_found = [
        [slip.position for slip in find_suspect_values(np.where(np.arange(v.size) == i, 10 * v, v))]
        == [i]
        for v, i in zip(positive, middle, strict=True)
    ]
    assert np.mean(are_found) > MIN_FOUND_FRACTION
