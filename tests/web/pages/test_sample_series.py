"""The sample series: the invented one is the generator's output, and has its incidents."""

import csv
import runpy
from pathlib import Path

import numpy as np

from app.anomalies.detect import detect
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.web.pages.assets import FOLDER
from app.web.pages.sample_series import SAMPLE_SERIES
from tests.support.server import ROOT

LABELLED = FOLDER / "static" / "sample-series" / "labelled-requests.csv"


def test_every_series_has_its_file() -> None:
    files = {path.name for path in LABELLED.parent.iterdir()}
    recorded = {series.forecast for series in SAMPLE_SERIES if series.forecast}
    assert {series.file for series in SAMPLE_SERIES} | recorded == files


def test_the_labelled_series_is_what_its_generator_writes(tmp_path: Path) -> None:
    second = tmp_path / "again.csv"
    runpy.run_path(str(ROOT / "docs" / "make_labelled_series.py"))["main"](second)
    assert second.read_bytes() == LABELLED.read_bytes()


def test_each_incident_of_the_labelled_series_is_found_and_nothing_else() -> None:
    with LABELLED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    values = np.array([float(row["requests_per_minute"]) for row in rows])
    detection = detect(History(values, (24, 168), Frequency.HOURS), 0.001)
    kinds = [(rows[event.start]["timestamp"], str(event.kind)) for event in detection.events]
    assert kinds == [
        ("2026-03-10T14:00:00", "spike"),
        ("2026-03-13T20:00:00", "dip"),  # one of 840 points, out by chance
        ("2026-03-17T09:00:00", "dip"),
        ("2026-03-20T10:00:00", "burst"),
        ("2026-03-24T11:00:00", "flat"),
        ("2026-03-27T00:00:00", "level_shift"),
    ]
    severe = [event.severity > 75 for event in detection.events]
    assert severe == [True, False, True, True, True, True]
    assert [rows[change.index]["timestamp"] for change in detection.change_points] == [
        "2026-03-27T00:00:00"
    ]
