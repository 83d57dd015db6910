"""Every call that cannot be served gets a documented status and a message for the SDK."""

from typing import Any

import orjson
import pytest
import zstandard
from flask import Flask

from app.api.dialects.timegpt.bounds import BATCH, MAX_POINTS
from tests.api.dialects.timegpt.calls import PREFIX, Body, body, compressed_body, months, post
from tests.support.api import Api, error_of

SALES = months()
OTHER_CALLS = {
    "a window too many": (
        ("cross_validation", {"h": 12, "n_windows": 4}),
        "series.sizes[0]",
        "48 points, but 4 windows",
    ),
    "a hundred and one windows": (
        ("cross_validation", {"n_windows": 101}),
        "n_windows",
        "from 1 to 100",
    ),
    "as many points to judge as there are": (
        ("online_anomaly_detection", {"detection_size": 48, "level": 99}),
        "series.sizes[0]",
        "detection_size 48 needs 49",
    ),
    "all series at once": (
        (
            "online_anomaly_detection",
            {"detection_size": 5, "level": 99, "threshold_method": "multivariate"},
        ),
        "threshold_method",
        "univariate",
    ),
    "two levels of a detection": (
        ("anomaly_detection", {"level": [80, 90]}),
        "level",
        "one number",
    ),
    "no level of a detection": (("anomaly_detection", {}), "level", "number"),
}
BOMB = zstandard.ZstdCompressor(level=3).compress(b" " * 2**28)
WHOLE_BODY = compressed_body(body())
BROKEN: dict[str, tuple[int, bytes, str, str]] = {
    "a bomb": (413, BOMB, "zstd", "num_partitions"),
    "a large body": (413, b" " * (BATCH.max_sent_bytes + 1), "", "num_partitions"),
    "no zstd": (400, b"{}", "zstd", "not zstd"),
    "zstd that is cut off": (400, WHOLE_BODY[: len(WHOLE_BODY) // 2], "zstd", "incomplete"),
    "JSON that is cut off": (400, orjson.dumps(body())[:200], "", "JSON"),
    "an array": (400, b"[]", "", "JSON object"),
    "gzip": (415, WHOLE_BODY, "gzip", "send zstd"),
}


def with_series(**arrays: Any) -> Body:
    """Return a body of one series with other arrays."""
    sent = body(SALES)
    return sent | {"series": sent["series"] | arrays}


def wide_body() -> dict[str, Any]:
    return {"y": [1.0] * 100_000, "sizes": [100_000], "X": [[1.0] * 100_000] * 10}


# Large bodies are made in their tests, not when these are collected.
REJECTED = {
    "sizes that do not sum up": (with_series(sizes=[47]), "series.sizes", "the sum is 47"),
    "a negative size": (with_series(sizes=[-1, 49]), "series.sizes[0]", "whole number from 1"),
    "a size of 0": (with_series(sizes=[0, 48]), "series.sizes[0]", "whole number from 1"),
    "a size with a fraction": (with_series(sizes=[47.5, 0.5]), "series.sizes[0]", "whole number"),
    "a million series": (
        lambda: with_series(sizes=[1] * 1_000_000),
        "series.sizes",
        "num_partitions",
    ),
    "no series": (with_series(sizes=[]), "series.sizes", "array is empty"),
    "strings": (with_series(y=["1"] * 48), "series.y[0]", "not a number"),
    "nested values": (with_series(y=[[1.0]] * 48), "series.y[0]", "not a number"),
    "a flag": (with_series(y=[*SALES[:-1], True]), "series.y[47]", "not a number"),
    "too large a value": (with_series(y=[*SALES[:-1], 1e200]), "series.y[47]", "larger units"),
    "an object for values": (with_series(y={}), "series.y", "array of numbers"),
    "two million values": (lambda: with_series(y=[1] * 2_000_000), "series.y", "num_partitions"),
    "no values": (with_series(y=...), "series.y", "missing"),
    "only nulls": (body(SALES, [None] * 5, SALES), "series.sizes[1]", "only null"),
    "a series for an array": (body() | {"series": SALES}, "series", "object with y and sizes"),
    "null for the series": (body() | {"series": None}, "series", "object with y and sizes"),
    "level 100": (body(level=[80, 100]), "level", "below 100"),
    "level -1": (body(level=[-1]), "level", "0 or more"),
    "a level in quotes": (body(level="80"), "level", "number"),
    "too many levels": (body(level=list(range(50, 71))), "level", "at most 20"),
    "an unknown frequency": (body(freq="fortnight"), "freq", "W-SUN"),
    "an offset": (body(freq="<DateOffset: months=2>"), "freq", "W-SUN"),
    "a number as frequency": (body(freq=1), "freq", "W-SUN"),
    "a column that is short": (with_series(X=[SALES, SALES[1:]]), "series.X[1]", "48 are needed"),
    "a column of text": (
        with_series(X=[SALES, [*SALES[:-1], "rain"]]),
        "series.X[1]",
        "has no number at 47; send numbers, or name the column in categorical_exog_list",
    ),
    "a large value of a column": (with_series(X=[[*SALES[:-1], 1e200]]), "series.X[0]", "at 47"),
    "a column that is nested": (
        with_series(X=[[SALES] * 48], categorical_exog=[0]),
        "series.X[0]",
        "Must be text",
    ),
    "a column of the future that is long": (
        with_series(X=[SALES], X_future=[[1] * 7]),
        "series.X_future[0]",
        "has 7 values, 6 are needed",
    ),
    "a column without its past": (
        with_series(X_future=[[1] * 6]),
        "series.X_future",
        "send their past values in X too",
    ),
    "numbers for columns": (with_series(X=SALES), "series.X", "array of columns"),
    "a hundred and one columns": (with_series(X=[SALES] * 101), "series.X", "at most 100"),
    "columns of millions of values": (
        lambda: body([1.0] * 100_000) | {"series": wide_body()},
        "series.X",
        "num_partitions",
    ),
    "an unknown column of categories": (
        with_series(X=[SALES], categorical_exog=[1]),
        "series.categorical_exog",
        "indices of columns",
    ),
    "an array of settings": (body(model_parameters=[1]), "model_parameters", "an object"),
    "a column of the past below 0": (body(hist_exog=[-1]), "hist_exog", "whole numbers"),
    "a column of categories by name": (
        with_series(X=[SALES], categorical_exog=["rain"]),
        "series.categorical_exog",
        "whole numbers",
    ),
    "fine-tuning": (body(finetune_steps=10), "finetune_steps", "leave out finetune_steps"),
    "a fine-tuned model": (body(finetuned_model_id="a"), "finetuned_model_id", "leave it out"),
    "contributions in words": (body(feature_contributions="yes"), "feature_contributions", "true"),
    "multivariate": (body(multivariate=True), "multivariate", "leave it out"),
    "an unknown model": (body(model="timegpt-9"), "model", "timegpt-2.1"),
    "h 0": (body(h=0), "h", "from 1 to 1,000"),
    "h 1001": (body(h=1001), "h", "from 1 to 1,000"),
    "h in quotes": (body(h="6"), "h", "whole number"),
    "a thousand nulls at the end": (
        body(SALES, [1.0, *[None] * 1_001]),
        "series.sizes[1]",
        "nulls before a forecast",
    ),
    "a response of millions": (
        body(*[[1.0]] * 5_000, h=1_000),
        "series",
        "num_partitions, an argument of the SDK's method: 2 or more",
    ),
}


@pytest.mark.parametrize("kind", REJECTED)
def test_an_unusable_series_is_422_with_its_index_and_a_remedy(api: Api, kind: str) -> None:
    made, field, words = REJECTED[kind]
    sent = made() if callable(made) else made
    series = sent["series"]
    if isinstance(series, dict):
        sent["series"] = {name: array for name, array in series.items() if array is not ...}
    response = post(api, "forecast", compressed_body(sent), Content_Encoding="zstd")
    error = error_of(response, 422)
    assert error["details"]["field"] == field
    message = response.get_json()["detail"]
    assert message.startswith(f"{field}: ")
    assert words in message


def test_levels_that_are_sent_twice_are_computed_once(api: Api) -> None:
    response = post(api, "forecast", body(level=[80, 80, *range(50, 67)]))
    assert response.status_code == 200
    assert len(response.get_json()["intervals"]) == 2 * 18


@pytest.mark.parametrize("kind", OTHER_CALLS)
def test_other_calls_are_rejected_in_the_same_way(api: Api, kind: str) -> None:
    (task, fields), field, words = OTHER_CALLS[kind]
    details = error_of(post(api, task, body(**fields)), 422)["details"]
    assert details["field"] == field
    assert words in details["issue"]


@pytest.mark.parametrize(
    "path", ["finetune", "simulate", "explain", "execute_step", "forecast/async", "finetune/async"]
)
def test_endpoints_that_are_not_offered_are_rejected_for_good(api: Api, path: str) -> None:
    message = error_of(post(api, path, {}), 422)["details"]["issue"]
    assert "not offered" in message
    assert "use forecast" in message


def test_there_are_no_fine_tuned_models(api: Api) -> None:
    for method in ("GET", "DELETE"):
        error_of(api.request(method, f"{PREFIX}v2/finetuned_models/mine"), 404)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_body_that_cannot_be_read_is_rejected(api: Api, kind: str) -> None:
    status, sent, coding, words = BROKEN[kind]
    response = post(api, "forecast", sent, Content_Encoding=coding or None)
    assert words in error_of(response, status)["details"]["issue"]


def test_a_bomb_is_not_unpacked(api: Api) -> None:
    import tracemalloc

    tracemalloc.start()
    try:
        post(api, "forecast", BOMB, Content_Encoding="zstd")
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * BATCH.max_unpacked_bytes


def test_zstd_is_read_nowhere_else(api: Api) -> None:
    response = api.send("POST", "/forecast", WHOLE_BODY, Content_Encoding="zstd")
    error_of(response, 415)


def test_a_body_as_large_as_the_points_allow_is_read(api: Api) -> None:
    most = compressed_body(with_series(y=[123.456] * MAX_POINTS, sizes=[MAX_POINTS]))
    assert post(api, "forecast", most, Content_Encoding="zstd").status_code == 200


@pytest.mark.parametrize("path", ["validate_api_key", "usage", "v2/models"])
def test_a_wrong_key_gets_a_detailed_error(app: Flask, path: str) -> None:
    response = Api(app, "ak_" + "0" * 64).request("GET", PREFIX + path)
    error_of(response, 401)
    assert "Authorization does not hold a valid key" in response.get_json()["detail"]


def test_a_key_without_read_may_check_itself_and_nothing_else(app: Flask, make_key: Any) -> None:
    caller = Api(app, make_key("write"))
    assert caller.request("GET", f"{PREFIX}validate_api_key").status_code == 200
    error_of(post(caller, "forecast", body()), 403)


def test_a_key_of_a_suspended_account_is_a_wrong_key(app: Flask, key: str) -> None:
    app.test_cli_runner().invoke(args=["accounts", "suspend", "default"])
    error_of(Api(app, key).request("GET", f"{PREFIX}validate_api_key"), 401)
    error_of(post(Api(app, key), "forecast", body()), 401)


def test_the_models_of_the_query_are_checked_too(api: Api) -> None:
    path = f"{PREFIX}model_params?model=timegpt-2.1&freq="
    assert api.request("GET", path + "W-SUN").get_json() == {
        "detail": {"input_size": 10_000, "horizon": 100}
    }
    assert error_of(api.request("GET", path + "x"), 422)["details"]["field"] == "freq"
