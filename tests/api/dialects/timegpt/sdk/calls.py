"""Typical programs with Nixtla's SDK, with only the address and the key changed.

Run by `test_sdk.py` in the environment of the SDK, which wants an older pandas than the service.
"""

import os
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
import polars as pl
import pytest
from nixtla import NixtlaClient
from nixtla.nixtla_client import ApiError

URL, KEY = os.environ["TIMEGPT_URL"], os.environ["TIMEGPT_KEY"]
LEVELS = [80, 95]
DAYS, MONTHS = 140, 60
SPREAD_SERIES = int(os.environ["SPREAD_SERIES"])


@pytest.fixture(scope="session")
def client() -> NixtlaClient:
    return NixtlaClient(base_url=URL, api_key=KEY, max_retries=1)


@pytest.fixture(scope="session")
def dask_threads() -> Iterator[None]:
    """Run Dask's tasks in threads: its processes would each import the SDK again.

    The service gets the same requests.
    """
    from dask.distributed import Client

    workers = {"processes": False, "n_workers": 1, "threads_per_worker": 4}
    with Client(**workers, dashboard_address=None):
        yield


def frame(
    series: int = 3, points: int = MONTHS, freq: str = "MS", period: int = 12
) -> pd.DataFrame:
    """Return series with a trend, a season and noise, in the columns that the SDK expects."""
    rng, steps = np.random.default_rng(7), np.arange(points)
    parts = [
        pd.DataFrame(
            {
                "unique_id": f"s{number:04}",
                "ds": pd.date_range("2015-01-01", periods=points, freq=freq),
                "y": 100
                + number % 50
                + steps / 3
                + 12 * np.sin(2 * np.pi * steps / period)
                + rng.normal(0, 3, points),
            }
        )
        for number in range(series)
    ]
    return pd.concat(parts, ignore_index=True)


def assert_same(result: pd.DataFrame, wanted: pd.DataFrame) -> None:
    keys = ["unique_id", "ds"]
    frames = [frame_.sort_values(keys).reset_index(drop=True) for frame_ in (result, wanted)]
    pd.testing.assert_frame_equal(*frames, check_dtype=False, check_like=True, rtol=1e-12)


def test_the_key_is_valid_and_another_is_not(client: NixtlaClient) -> None:
    assert client.validate_api_key()
    assert not NixtlaClient(base_url=URL, api_key="ak_wrong").validate_api_key()


def test_an_address_with_a_slash_at_its_end_works() -> None:
    assert NixtlaClient(base_url=f"{URL}/", api_key=KEY).validate_api_key()


def test_models_and_limits_are_listed(client: NixtlaClient) -> None:
    assert {"timegpt-2.1", "timegpt-1", "forecast-model-4"} <= set(client.list_models())
    assert set(client.usage()) == {"minute", "hour", "day"}


def test_a_forecast_has_its_levels_around_the_median(client: NixtlaClient) -> None:
    forecast = client.forecast(frame(), h=6, freq="MS", level=LEVELS)
    assert len(forecast) == 18
    assert (forecast["TimeGPT-lo-95"] <= forecast["TimeGPT-lo-80"]).all()
    assert (forecast["TimeGPT-lo-80"] <= forecast["TimeGPT"]).all()
    assert (forecast["TimeGPT"] <= forecast["TimeGPT-hi-80"]).all()
    assert (forecast["TimeGPT-hi-80"] <= forecast["TimeGPT-hi-95"]).all()
    assert forecast["ds"].min() == pd.Timestamp("2020-01-01")


def test_quantiles_are_in_order(client: NixtlaClient) -> None:
    forecast = client.forecast(frame(), h=3, freq="MS", quantiles=[0.1, 0.5, 0.9])
    low, middle, high = (forecast[f"TimeGPT-q-{share}"] for share in (10, 50, 90))
    assert (low <= middle).all()
    assert (middle <= high).all()
    np.testing.assert_allclose(middle, forecast["TimeGPT"])


@pytest.mark.parametrize(
    "model",
    [
        "timegpt-1", "timegpt-1-long-horizon", "timegpt-2-mini", "timegpt-2", "timegpt-2.1",
        "timegpt-2-pro", *(f"forecast-model-{number}" for number in range(1, 5)),
    ],
)  # fmt: skip
def test_each_model_forecasts(client: NixtlaClient, model: str) -> None:
    forecast = client.forecast(frame(2), h=4, freq="MS", model=model, level=[90])
    assert np.isfinite(forecast[["TimeGPT", "TimeGPT-lo-90", "TimeGPT-hi-90"]]).all(axis=None)


@pytest.mark.parametrize(
    ("freq", "period"), [("D", 7), ("W-SUN", 52), ("h", 24), ("15min", 96), ("QS", 4), ("B", 5)]
)
def test_other_frequencies_are_forecast(client: NixtlaClient, freq: str, period: int) -> None:
    forecast = client.forecast(frame(2, DAYS, freq, period), h=5, level=[90])
    assert len(forecast) == 10


def test_integer_times_are_forecast(client: NixtlaClient) -> None:
    series = frame(2)
    series["ds"] = series.groupby("unique_id").cumcount()
    forecast = client.forecast(series, h=4, freq=1)
    assert forecast["ds"].min() == MONTHS


def test_partitions_change_nothing(client: NixtlaClient) -> None:
    series = frame(7)
    whole = client.forecast(series, h=6, freq="MS", level=LEVELS)
    assert_same(client.forecast(series, h=6, freq="MS", level=LEVELS, num_partitions=3), whole)


def test_a_history_is_forecast_too(client: NixtlaClient) -> None:
    forecast = client.forecast(frame(2), h=6, freq="MS", level=[90], add_history=True)
    assert len(forecast) == 2 * (MONTHS - 24 + 6)
    parted = client.forecast(
        frame(2), h=6, freq="MS", level=[90], add_history=True, num_partitions=2
    )
    assert_same(parted, forecast)


def test_missing_values_are_forecast_over(client: NixtlaClient) -> None:
    series = frame(2)
    series.loc[[5, 6, len(series) - 1], "y"] = np.nan
    assert np.isfinite(client.forecast(series, h=4, freq="MS")["TimeGPT"]).all()


def test_windows_are_cross_validated(client: NixtlaClient) -> None:
    series = frame(3)
    windows = client.cross_validation(series, h=6, freq="MS", n_windows=3, step_size=4, level=[90])
    assert len(windows) == 3 * 3 * 6
    actual = windows.merge(series, on=["unique_id", "ds"])
    np.testing.assert_array_equal(actual["y_x"], actual["y_y"])
    assert (windows["cutoff"] < windows["ds"]).all()
    errors = (windows["y"] - windows["TimeGPT"]).abs().mean()
    assert errors < series["y"].std() / 2
    parted = client.cross_validation(
        series, h=6, freq="MS", n_windows=3, step_size=4, level=[90], num_partitions=2
    )
    assert_same(parted, windows)


@pytest.mark.filterwarnings("ignore")  # pandas warns that this will be removed
def test_a_spike_is_detected(client: NixtlaClient) -> None:
    series = frame(2)
    series.loc[40, "y"] += 90
    detection = client.detect_anomalies(series, freq="MS", level=99)
    assert detection.loc[40, "anomaly"]
    assert detection["anomaly"].sum() <= 4
    assert_same(client.detect_anomalies(series, freq="MS", level=99, num_partitions=2), detection)


def test_a_spike_at_the_end_is_detected_online(client: NixtlaClient) -> None:
    series = frame(2)
    series.loc[MONTHS - 3, "y"] += 90
    asked = {"freq": "MS", "h": 6, "detection_size": 12, "level": 99}
    detection = client.detect_anomalies_online(series, **asked)
    assert len(detection) == 24
    spike = detection.iloc[9]
    assert spike["anomaly"]
    assert spike["anomaly_score"] > 5
    assert_same(client.detect_anomalies_online(series, **asked, num_partitions=2), detection)


def test_polars_gets_what_pandas_gets(client: NixtlaClient) -> None:
    series = frame(3)
    wanted = client.forecast(series, h=6, freq="MS", level=LEVELS)
    forecast = client.forecast(pl.from_pandas(series), h=6, freq="1mo", level=LEVELS)
    assert isinstance(forecast, pl.DataFrame)
    assert_same(forecast.to_pandas(), wanted)
    windows = {"h": 6, "n_windows": 2}
    wanted = client.cross_validation(series, freq="MS", **windows)
    validated = client.cross_validation(pl.from_pandas(series), freq="1mo", **windows)
    assert_same(validated.to_pandas(), wanted)
    judged = {"h": 1, "detection_size": 10}
    wanted = client.detect_anomalies_online(series, freq="MS", **judged)
    online = client.detect_anomalies_online(pl.from_pandas(series), freq="1mo", **judged)
    assert_same(online.to_pandas(), wanted)


def test_the_sdk_itself_fails_on_sizes_with_polars_as_the_guide_says(client: NixtlaClient) -> None:
    series = pl.from_pandas(frame(3))
    with pytest.raises(pl.exceptions.InvalidOperationError, match="repeat_by"):
        client.detect_anomalies(series, freq="1mo")
    with pytest.raises(pl.exceptions.InvalidOperationError, match="repeat_by"):
        client.forecast(series, h=6, freq="1mo", add_history=True)
    assert len(client.detect_anomalies(series.to_pandas(), freq="MS")) == 180


@pytest.mark.usefixtures("dask_threads")
def test_series_through_dask_are_those_of_one_call(client: NixtlaClient) -> None:
    import dask.dataframe as dd

    series = frame(12)
    wanted = client.forecast(series, h=12, freq="MS", level=LEVELS)
    spread = dd.from_pandas(series, npartitions=4)
    result = client.forecast(spread, h=12, freq="MS", level=LEVELS).compute()
    assert len(result) == 144
    assert_same(result, wanted)


@pytest.mark.usefixtures("dask_threads")
def test_many_series_through_dask_are_all_forecast(client: NixtlaClient) -> None:
    import dask.dataframe as dd

    spread = dd.from_pandas(frame(SPREAD_SERIES, 60), npartitions=20)
    result = client.forecast(spread, h=3, freq="MS", level=[80], num_partitions=20).compute()
    assert (result.groupby("unique_id").size() == 3).sum() == SPREAD_SERIES
    assert result.drop(columns="unique_id").notna().all(axis=None)


def weather(series: int = 2, h: int = 14) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return days that depend on the temperature, on rain and on a holiday-like day.

    Returned are the history, the columns ahead, and what came.
    """
    rng = np.random.default_rng(3)
    whole = frame(series, 400 + h, "D", 7)
    whole["temperature"] = rng.normal(15, 8, len(whole)).round(1)
    whole["noise"] = rng.normal(0, 1, len(whole))
    whole["kind"] = rng.choice(["none", "fair", "strike"], len(whole), p=[0.8, 0.15, 0.05])
    whole["y"] += 2 * (whole["temperature"] - 15).abs()
    whole["y"] += whole["kind"].map({"none": 0, "fair": 30, "strike": -40})
    history = whole.groupby("unique_id").head(400).reset_index(drop=True)
    ahead = whole.groupby("unique_id").tail(h).reset_index(drop=True)
    return history, ahead.drop(columns="y"), ahead


def error_of(result: pd.DataFrame, actual: pd.DataFrame) -> float:
    joined = result.merge(actual, on=["unique_id", "ds"])
    return float((joined["y"] - joined["TimeGPT"]).abs().mean())


def test_weather_that_is_known_ahead_helps(client: NixtlaClient) -> None:
    history, ahead, actual = weather()
    plain = client.forecast(history[["unique_id", "ds", "y"]], h=14, freq="D", level=[90])
    columns = ["unique_id", "ds", "temperature", "noise"]
    forecast = client.forecast(
        history.drop(columns="kind"), X_df=ahead[columns], h=14, freq="D", level=[90]
    )
    assert error_of(forecast, actual) < 0.8 * error_of(plain, actual)
    result = client.forecast(
        history,
        X_df=ahead,
        h=14,
        freq="D",
        level=[90],
        categorical_exog_list=["kind"],
        feature_contributions=True,
    )
    assert error_of(result, actual) < 0.5 * error_of(plain, actual)
    assert (result["TimeGPT-lo-90"] <= result["TimeGPT"]).all()
    shares = client.feature_contributions
    np.testing.assert_allclose(shares.iloc[:, 3:].sum(axis=1), result["TimeGPT"])
    assert shares["temperature"].abs().mean() > 5
    assert not shares["noise"].any()
    parted = client.forecast(
        history,
        X_df=ahead,
        h=14,
        freq="D",
        level=[90],
        categorical_exog_list=["kind"],
        num_partitions=2,
    )
    assert_same(parted, result)


def test_columns_help_in_the_windows_of_a_cross_validation(client: NixtlaClient) -> None:
    history, _ahead, _actual = weather()
    asked = {"h": 7, "freq": "D", "n_windows": 2}
    plain = client.cross_validation(history[["unique_id", "ds", "y"]], **asked)
    known = history.drop(columns="kind")
    windows = client.cross_validation(known, **asked)
    unknown = client.cross_validation(known, hist_exog_list=["temperature", "noise"], **asked)
    errors = [
        (frame_["y"] - frame_["TimeGPT"]).abs().mean() for frame_ in (plain, windows, unknown)
    ]
    assert errors[1] < 0.8 * errors[0]
    assert errors[2] == errors[0]
    assert_same(client.cross_validation(known, num_partitions=2, **asked), windows)


def test_a_history_with_columns_is_forecast_with_its_contributions(client: NixtlaClient) -> None:
    history, ahead, _actual = weather(1)
    columns = ["unique_id", "ds", "temperature"]
    forecast = client.forecast(
        history[[*columns, "y"]],
        X_df=ahead[columns],
        h=14,
        freq="D",
        add_history=True,
        feature_contributions=True,
    )
    shares = client.feature_contributions
    np.testing.assert_allclose(shares.iloc[:, 3:].sum(axis=1), forecast["TimeGPT"])


@pytest.mark.filterwarnings("ignore")  # pandas warns that this will be removed
def test_columns_of_all_types_are_accepted(client: NixtlaClient) -> None:
    history, ahead, _actual = weather()
    for name, make in (
        ("whole", lambda size: np.arange(size) % 5),
        ("flag", lambda size: np.arange(size) % 3 == 0),
        ("constant", np.ones),
        ("gaps", lambda size: np.where(np.arange(size) % 4 == 0, np.nan, np.arange(size) % 6)),
    ):
        history[name], ahead[name] = make(len(history)), make(len(ahead))
    history["double"], ahead["double"] = 2 * history["temperature"], 2 * ahead["temperature"]
    numbers = history.drop(columns="kind")
    asked = {"freq": "D", "h": 14}
    forecast = client.forecast(numbers, X_df=ahead.drop(columns="kind"), **asked)
    assert np.isfinite(forecast["TimeGPT"]).all()
    past = ["temperature", "flag"]
    assert len(client.forecast(numbers, hist_exog_list=past, **asked)) == 28
    dates = client.forecast(
        numbers[["unique_id", "ds", "y"]],
        date_features=True,
        date_features_to_one_hot=True,
        **asked,
    )
    assert len(dates) == 28
    online = client.detect_anomalies_online(numbers, detection_size=14, level=99, **asked)
    assert len(online) == 28
    assert len(client.detect_anomalies(numbers, freq="D")) == 800


def test_christmas_is_known_by_the_dates(client: NixtlaClient) -> None:
    days = pd.date_range("2019-01-01", "2023-12-20", freq="D")
    rng = np.random.default_rng(1)
    closed = [(day.month, day.day) in ((12, 25), (12, 26), (1, 1)) for day in days]
    sold = np.where(closed, 5.0, 100 + 20 * (days.dayofweek < 5) + rng.normal(0, 3, len(days)))
    series = pd.DataFrame({"unique_id": "shop", "ds": days, "y": sold})
    result = client.forecast(series, h=14, freq="D").set_index("ds")["TimeGPT"]
    assert result["2023-12-25"] < 40
    assert result["2023-12-22"] > 90


def test_a_rejection_is_raised_immediately_as_a_sentence(client: NixtlaClient) -> None:
    persistent = NixtlaClient(base_url=URL, api_key=KEY)  # the SDK retries for minutes
    started = time.monotonic()
    with pytest.raises(ApiError) as raised:
        persistent.forecast(frame(), h=6, freq="MS", finetune_steps=10)
    assert time.monotonic() - started < 5
    assert raised.value.status_code == 422
    assert "leave out finetune_steps" in raised.value.body["detail"]


def test_products_sold_once_or_twice_stop_no_others(client: NixtlaClient) -> None:
    new = frame(22, 2).query("unique_id >= 's0020'").iloc[1:]
    wanted = client.forecast(frame(20), h=3, freq="MS", level=[90])
    result = client.forecast(pd.concat([frame(20), new]), h=3, freq="MS", level=[90])
    pd.testing.assert_frame_equal(result.iloc[: len(wanted)], wanted)
    assert result["unique_id"].nunique() == 22
    assert (result.iloc[len(wanted) :]["TimeGPT-hi-90"] > new["y"].max()).all()


def test_there_is_nothing_fine_tuned(client: NixtlaClient) -> None:
    assert client.finetuned_models() == []
    assert client.delete_finetuned_model("mine") is False
    with pytest.raises(ApiError, match="not offered"):
        client.finetune(frame(), freq="MS")
