"""Record the forecast that the playground shows before it has a key.

``python docs/record_forecast.py`` writes it next to the first sample series, by the engine itself.
"""

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.forecasting.forecast import forecast  # noqa: E402
from app.forecasting.model_ids import DEFAULT_MODEL  # noqa: E402
from app.timeseries.calendar.fit import fit_calendar  # noqa: E402
from app.timeseries.calendar.frequency import Frequency  # noqa: E402
from app.timeseries.calendar.timestamps import parse_timestamps  # noqa: E402
from app.timeseries.series import Series  # noqa: E402
from app.web.pages.sample_series import SAMPLE_SERIES  # noqa: E402

FOLDER = ROOT / "app/web/pages/static/sample-series"
CONFIDENCE, DIGITS = 0.95, 3


def record() -> dict[str, Any]:
    """Return the forecast of the first sample series, as the page reads it."""
    sample = SAMPLE_SERIES[0]
    rows = list(csv.reader((FOLDER / sample.file).open()))[1:]
    times = parse_timestamps([f"{month}-01T00:00:00" for month, _ in rows]).times
    values = np.array([float(value) for _, value in rows])
    series = Series(values, fit_calendar(times, Frequency.MONTHLY), "")
    found = forecast(series, sample.horizon, CONFIDENCE, DEFAULT_MODEL)
    return {
        "model": found.model_id,
        "forecast": {
            "forecast_timestamps": found.timestamps,
            "lower_bound": found.lower.round(DIGITS).tolist(),
            "median": found.median.round(DIGITS).tolist(),
            "upper_bound": found.upper.round(DIGITS).tolist(),
        },
    }


if __name__ == "__main__":
    path = FOLDER / str(SAMPLE_SERIES[0].forecast)
    path.write_bytes(orjson.dumps(record(), option=orjson.OPT_INDENT_2) + b"\n")
