"""Microsoft's client for Azure's Anomaly Detector, with only the address and the key changed.

The series are of the kinds that its documentation has: requests a day, hours with a season, months,
five minutes, a change of level, points that are missing, values without timestamps.
"""

import datetime as dt
from collections.abc import Iterator

import pytest
from azure.ai.anomalydetector import AnomalyDetectorClient
from azure.ai.anomalydetector.models import (
    ImputeMode,
    TimeGranularity,
    TimeSeriesPoint,
    UnivariateChangePointDetectionOptions,
    UnivariateDetectionOptions,
)
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceNotFoundError,
)

from tests.support.keys import new_key
from tests.support.one_worker import server
from tests.support.series import with_a_season
from tests.support.server import Server

__all__ = ["server"]  # fixtures

START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
SPIKE = 90


def connect(url: str, key: str, **options: object) -> AnomalyDetectorClient:
    return AnomalyDetectorClient(url, AzureKeyCredential(key), retry_total=0, **options)


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[AnomalyDetectorClient]:
    # The address ends in a slash, as in its documentation.
    key = new_key(server.environ["DATABASE_URL"])
    with connect(f"{server.url}/", key) as connected:
        yield connected


def series(
    values: list[float], step: dt.timedelta = DAY, missing: tuple[int, ...] = ()
) -> list[TimeSeriesPoint]:
    return [
        TimeSeriesPoint(timestamp=START + index * step, value=value)
        for index, value in enumerate(values)
        if index not in missing
    ]


def months(values: list[float]) -> list[TimeSeriesPoint]:
    return [
        TimeSeriesPoint(timestamp=START.replace(year=1990 + i // 12, month=i % 12 + 1), value=value)
        for i, value in enumerate(values)
    ]


def spiked_values(points: int, period: int) -> list[float]:
    """Return values with a season, and a spike at ``SPIKE`` and at the end."""
    values = with_a_season(points, period)
    values[SPIKE] += 60
    values[-1] += 60
    return values


DAYS, HOURS = spiked_values(120, 7), spiked_values(336, 24)
BARE = [TimeSeriesPoint(value=value) for value in DAYS]
# A series, and the index of its spike among the points sent.
OPTIONS = {
    "requests a day": ({"series": series(DAYS), "granularity": TimeGranularity.DAILY}, SPIKE),
    "hours with a season": (
        {"series": series(HOURS, HOUR), "granularity": TimeGranularity.HOURLY},
        SPIKE,
    ),
    "months": ({"series": months(spiked_values(144, 12)), "granularity": "monthly"}, SPIKE),
    "five minutes": (
        {
            "series": series(spiked_values(600, 288), HOUR / 12),
            "granularity": TimeGranularity.PER_MINUTE,
            "custom_interval": 5,
        },
        SPIKE,
    ),
    "missing points": (
        {
            "series": series(DAYS, missing=(20, 50, 51)),
            "granularity": TimeGranularity.DAILY,
            "impute_mode": ImputeMode.LINEAR,
        },
        SPIKE - 3,
    ),
    "missing points, filled with a value": (
        {
            "series": series(DAYS, missing=(20,)),
            "granularity": TimeGranularity.DAILY,
            "impute_mode": ImputeMode.FIXED,
            "impute_fixed_value": 100.0,
            "sensitivity": 80,
            "max_anomaly_ratio": 0.1,
        },
        SPIKE - 1,
    ),
    "values without timestamps": ({"series": BARE, "granularity": "none", "period": 7}, SPIKE),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_entire_finds_the_spike(client: AnomalyDetectorClient, kind: str) -> None:
    options, spike = OPTIONS[kind]
    detection = client.detect_univariate_entire_series(UnivariateDetectionOptions(**options))
    points = len(options["series"])
    for array in (
        detection.expected_values,
        detection.upper_margins,
        detection.lower_margins,
        detection.severity,
    ):
        assert len(array) == points
    assert detection.is_anomaly[spike]
    assert detection.is_positive_anomaly[spike]
    assert not detection.is_negative_anomaly[spike]
    assert sum(detection.is_anomaly) <= 2 + points // 50
    value = options["series"][spike].value
    assert value > detection.expected_values[spike] + detection.upper_margins[spike]
    assert 0 < detection.severity[spike] <= 1
    assert detection.period >= 0


@pytest.mark.parametrize("kind", OPTIONS)
def test_last_finds_the_spike_at_the_end(client: AnomalyDetectorClient, kind: str) -> None:
    options, spike = OPTIONS[kind]
    detection = client.detect_univariate_last_point(UnivariateDetectionOptions(**options))
    assert detection.is_anomaly
    assert detection.is_positive_anomaly
    assert not detection.is_negative_anomaly
    assert options["series"][-1].value > detection.expected_value + detection.upper_margin
    assert detection.lower_margin >= 0
    assert detection.suggested_window > 0
    before = [TimeSeriesPoint(point) for point in options["series"][:-1]]
    before[spike].value -= 60
    calm = client.detect_univariate_last_point(
        UnivariateDetectionOptions(**options | {"series": before})
    )
    assert not calm.is_anomaly
    assert calm.severity == 0


@pytest.mark.parametrize(
    ("step", "granularity", "interval"),
    [(DAY, "daily", None), (HOUR, "hourly", None), (HOUR / 12, "minutely", 5)],
)
def test_changepoint_finds_the_change_of_level(
    client: AnomalyDetectorClient, step: dt.timedelta, granularity: str, interval: int | None
) -> None:
    values = [value + 40 * (index >= 150) for index, value in enumerate(with_a_season(240))]
    options = UnivariateChangePointDetectionOptions(
        series=series(values, step),
        granularity=granularity,
        custom_interval=interval,
        stable_trend_window=10,
        threshold=0.99,
    )
    detection = client.detect_univariate_change_point(options)
    (index,) = (i for i, flag in enumerate(detection.is_change_point) if flag)
    assert index in range(148, 153)
    assert detection.confidence_scores[index] > 0.9
    assert len(detection.confidence_scores) == 240


REJECTED = {
    "InvalidSeries": {"series": series(DAYS[:11]), "granularity": "daily"},
    "InvalidGranularity": {"series": series(DAYS), "granularity": "fortnightly"},
    "InvalidCustomInterval": {
        "series": series(DAYS),
        "granularity": "daily",
        "custom_interval": -5,
    },
    "InvalidModelArgument": {"series": series(DAYS), "sensitivity": 120},
    "InvalidPeriod": {"series": series(DAYS), "period": -1},
    "InvalidImputeMode": {"series": series(DAYS), "impute_mode": "mean"},
}


@pytest.mark.parametrize("code", REJECTED)
def test_a_bad_request_is_raised_with_azure_s_code(
    client: AnomalyDetectorClient, code: str
) -> None:
    with pytest.raises(HttpResponseError) as raised:
        client.detect_univariate_entire_series(UnivariateDetectionOptions(**REJECTED[code]))
    error = raised.value
    assert error.status_code == 400
    assert error.model.code == error.error.code == code
    # The client shows our message: the place, the problem and the remedy.
    assert error.model.message == error.error.message
    assert error.error.message in str(error)


def test_a_wrong_key_is_raised_as_a_failed_authentication(server: Server) -> None:
    with (
        connect(server.url, "0" * 32) as stranger,
        pytest.raises(ClientAuthenticationError) as raised,
    ):
        stranger.detect_univariate_entire_series(UnivariateDetectionOptions(series=BARE))
    assert raised.value.status_code == 401
    assert "Ocp-Apim-Subscription-Key" in str(raised.value)


def test_the_multivariate_api_is_raised_as_not_found(client: AnomalyDetectorClient) -> None:
    with pytest.raises(ResourceNotFoundError):
        list(client.list_multivariate_models())


def test_version_1_0_is_served(server: Server) -> None:
    key = new_key(server.environ["DATABASE_URL"])
    with connect(server.url, key, api_version="v1.0") as old:
        detection = old.detect_univariate_entire_series(UnivariateDetectionOptions(series=BARE))
    assert detection.is_anomaly[SPIKE]
    assert "severity" not in detection
