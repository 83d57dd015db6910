"""Forecast every column of a CSV in one call, by Nixtla's SDK.

    python docs/clients/nixtla_series.py FILE FREQUENCY STEPS > forecast.csv

The first column of FILE are times, each other column is a series; FREQUENCY is one of pandas, such
as MS, W-SUN, D or h. FORECAST_URL and FORECAST_KEY are the service and the key.
"""

import os
import sys

import pandas as pd
from nixtla import NixtlaClient

SERIES_OF_A_CALL = 1_000


def main() -> None:
    """Forecast the file that is named, and print medians and intervals as CSV."""
    path, freq, steps = sys.argv[1:]
    url = os.environ.get("FORECAST_URL", "http://127.0.0.1:8000")
    client = NixtlaClient(base_url=f"{url}/timegpt", api_key=os.environ["FORECAST_KEY"])
    wide = pd.read_csv(path, index_col=0, parse_dates=True)
    series = wide.rename_axis("ds").reset_index().melt("ds", var_name="unique_id", value_name="y")
    calls = -(-len(wide.columns) // SERIES_OF_A_CALL)
    forecast = client.forecast(
        series, h=int(steps), freq=freq, level=[80, 95], num_partitions=calls
    )
    forecast.to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main()
