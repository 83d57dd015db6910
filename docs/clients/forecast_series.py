"""Forecast a pandas Series over HTTP, and wait when the service asks to.

    FORECAST_URL=https://forecast.example.com FORECAST_KEY=ak_… \\
      python docs/clients/forecast_series.py series.csv Monthly 12

reads a CSV of dates and values and prints one. Needs pandas and requests. In code of your own:
``forecast(series, "Monthly", 12)``.
"""

import os
import pathlib
import random
import sys
import time

import pandas as pd
import requests

ATTEMPTS = 6
MAX_WAIT_SECONDS = 180  # if a day's limit is used up, fail instead of waiting
COME_AGAIN = (429, 500, 502, 503, 504)


class ForecastError(Exception):
    """The service rejected or failed; ``issue`` says what to send instead, ``field`` where."""

    def __init__(self, response: requests.Response) -> None:
        error = response.json()["error"]
        details = error.get("details", {})
        self.status, self.code = response.status_code, error["code"]
        self.issue, self.field = details.get("issue", error["message"]), details.get("field")
        where = f" ({self.field})" if self.field else ""
        super().__init__(f"{self.status} {self.code}{where}: {self.issue}")


def forecast(
    series: pd.Series,
    frequency: str,
    horizon: int,
    *,
    model: str = "forecast-model-1",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the next ``horizon`` periods of ``series``: columns lower_bound, median, upper_bound.

    Args:
        series: numbers with a DatetimeIndex, one regular step apart, no entry missing.
        frequency: Seconds, Minutes, Hours, Daily, Weekly, Monthly, Quarterly or Yearly.
        horizon: 1 to 100.
        model: forecast-model-1 to forecast-model-4.
        confidence: of the interval, 0.1 to 0.99.

    Raises:
        ForecastError: the service does not take the request, or still fails after some attempts.
    """
    body = {
        "series": [
            {
                "timestamps": [moment.isoformat(timespec="seconds") for moment in series.index],
                "values": series.tolist(),
            }
        ],
        "forecast_horizon": horizon,
        "data_frequency": frequency,
        "forecast_frequency": frequency,
        "confidence": confidence,
    }
    response = _send(body, {"X-Model-Id": model}).json()
    index = pd.to_datetime(response.pop("forecast_timestamps"))
    return pd.DataFrame(response, index=index)


def _send(body: dict, headers: dict[str, str]) -> requests.Response:
    """Send a request until the response is 200, at most ``ATTEMPTS`` times."""
    url = os.environ.get("FORECAST_URL", "http://127.0.0.1:8000")
    headers = headers | {"Authorization": f"Bearer {os.environ['FORECAST_KEY']}"}
    for attempt in range(ATTEMPTS):
        response = requests.post(f"{url}/forecast", json=body, headers=headers, timeout=60)
        if response.ok:
            return response
        wait = _wait_after(response, attempt)
        if (
            response.status_code not in COME_AGAIN
            or attempt == ATTEMPTS - 1
            or wait > MAX_WAIT_SECONDS
        ):
            break
        time.sleep(wait)
    raise ForecastError(response)


def _wait_after(response: requests.Response, attempt: int) -> float:
    """Return Retry-After or 1, 2, 4, … s, whichever is longer, plus jitter."""
    asked_seconds = float(response.headers.get("Retry-After", 0))
    return max(asked_seconds, 2.0**attempt) + random.uniform(0, 1)


if __name__ == "__main__":
    if len(sys.argv) != 4 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit("name a CSV file that exists, a frequency such as Monthly, and a horizon")
    path, unit, periods = sys.argv[1:]
    history = pd.read_csv(path, index_col=0, parse_dates=True).iloc[:, 0]
    print(forecast(history, unit, int(periods)).to_csv(index_label="timestamp"), end="")
