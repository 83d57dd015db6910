"""The sample series of the playground, and their sources."""

from dataclasses import dataclass

_MONASH = "Monash Time Series Forecasting Archive, CC BY 4.0"


@dataclass(frozen=True)
class SampleSeries:
    """A series in ``static/sample-series``.

    ``horizon`` is the default horizon; ``shows`` is the tab that opens with the series;
    ``forecast`` is the file with a forecast for a page without a key, by
    ``docs/record_forecast.py``.
    """

    file: str
    title: str
    horizon: int
    source: str
    shows: str | None = None
    forecast: str | None = None


# The page opens with the first one.
SAMPLE_SERIES: tuple[SampleSeries, ...] = (
    SampleSeries(
        "airline-passengers.csv",
        "Airline passengers, monthly",
        24,
        "International airline passengers 1949 to 1960, Box and Jenkins, 1976; public domain.",
        forecast="airline-passengers.json",
    ),
    SampleSeries(
        "cash-withdrawals.csv",
        "Cash machine withdrawals, daily",
        28,
        f"Series 102 of the NN5 competition. {_MONASH}.",
    ),
    SampleSeries(
        "hourly-demand.csv",
        "Hourly series of the M4 competition",
        48,
        f"Series H1; its first date is a convention. {_MONASH}.",
    ),
    SampleSeries(
        "labelled-requests.csv",
        "Requests, hourly, with incidents",
        48,
        "Invented, by docs/make_labelled_series.py: a spike on 10 March, a dip on 17 March, a "
        "burst on 20 March, a value stuck on 24 March, a new level from 27 March on.",
        shows="anomalies",
    ),
    SampleSeries(
        "quarterly-output.csv",
        "Quarterly series of the M3 competition",
        8,
        f"Series N0871. {_MONASH}.",
    ),
)
