"""Requests as they are sent, and results as they are read, without a service."""

import datetime as dt
import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import forecast_client as fc
from forecast_client import calls
from forecast_client.monitors import Appended, join_appended
from forecast_client.results import parse_record
from scripted import (
    FORECAST,
    KEY,
    KEY_RECORD,
    MONITOR,
    MONTHS,
    SOURCE,
    TIMES,
    VERIFIED,
    WEBHOOK,
    Scripted,
    forecast_ok,
    ok,
)

Make = Callable[..., Scripted]
DETECTION = {
    "timestamps": TIMES[-1:],
    "is_anomaly": [True],
    "expected": [1.0],
    "lower_bound": [0.0],
    "upper_bound": [2.0],
    "p_value": [0.0001],
    "severity": [33.3],
    "events": [],
    "change_points": [{"timestamp": TIMES[3], "before": 1.0, "after": 2.0, "p_value": 0.01}],
    "periods": [12],
}
BAND = {"median": [1.0], "lower_bound": [0.0], "upper_bound": [2.0]}
MEASURES = ("mae", "rmse", "smape", "mase", "coverage", "mean_width", "msis", "seconds")
BACKTEST = {
    "models": [
        {"model_id": "forecast-model-2", "rank": 1, **dict.fromkeys(MEASURES, 1.0)},
        {"model_id": "seasonal_naive", "rank": 2, **dict.fromkeys(MEASURES, 2.0), "mase": None},
    ],
    "best_model": "forecast-model-2",
    "windows": [
        {
            "cutoff": TIMES[10],
            "short_history": False,
            "timestamps": TIMES[11:],
            "actual": [11.0],
            "forecasts": {"forecast-model-2": BAND, "seasonal_naive": BAND},
        }
    ],
}


def test_options_that_are_not_chosen_are_not_sent(scripted: Make) -> None:
    made = scripted(forecast_ok())
    made.run(lambda client: client.forecast(MONTHS, 2))
    assert made.requests[0].url == "https://forecast.example/api/forecast"
    assert "X-Model-Id" not in made.requests[0].headers
    assert made.body == {
        "series": [{"timestamps": TIMES, "values": list(range(12))}],
        "data_frequency": "Monthly",
        "forecast_horizon": 2,
        "forecast_frequency": "Monthly",
    }


@pytest.mark.parametrize("model", [2, "2", "forecast-model-2", np.int64(2), "Fast", "fast"])
def test_a_model_is_a_name_a_number_or_an_id(scripted: Make, model: int | str) -> None:
    made = scripted(forecast_ok("short; simpler"))
    result = made.run(lambda client: client.forecast(MONTHS, np.int64(2), model=model))
    assert made.requests[0].headers["X-Model-Id"] == "forecast-model-2"
    assert made.body["forecast_horizon"] == 2
    assert (result.model_id, result.notices) == ("forecast-model-2", ("short", "simpler"))


def test_holidays_are_named_in_the_header(scripted: Make) -> None:
    made = scripted(forecast_ok("holidays of AU-VIC: 1 ahead, learned from 9"))
    result = made.run(lambda client: client.forecast(MONTHS, 2, holidays="AU-VIC"))
    assert made.requests[0].headers["X-Holidays"] == "AU-VIC"
    assert result.notices == ("holidays of AU-VIC: 1 ahead, learned from 9",)
    assert calls.backtest(MONTHS, 1, holidays="de").headers == {"X-Holidays": "de"}
    assert calls.forecast(MONTHS, 1).headers == {}


@pytest.mark.parametrize("holidays", ["", "AU\r\nX-Evil: 1", "Österreich", 49])
def test_holidays_that_do_not_fit_in_a_header_are_rejected(holidays: object) -> None:
    with pytest.raises(fc.DataError, match=r"^holidays: .* is not a country"):
        calls.forecast(MONTHS, 2, holidays=holidays)


@pytest.mark.parametrize("models", ["Fast", 2, ["Fäst"], ["Fast\r\nX-Evil: 1"]])
def test_models_that_are_not_a_list_are_rejected_before_they_are_sent(models: object) -> None:
    with pytest.raises(fc.DataError, match=r"^models: .*: send a list|^model: .* General, Fast"):
        calls.backtest(MONTHS, 1, models=models)


@pytest.mark.parametrize("confidence", [float("nan"), {0.5}])
def test_an_argument_that_json_cannot_express_is_rejected(confidence: object) -> None:
    with pytest.raises(fc.DataError, match="cannot be sent"):
        calls.forecast(MONTHS, 2, confidence=confidence)


@pytest.mark.parametrize(
    "at", [dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, 4, 5, 6), pd.Timestamp("2024-01-02")]
)
def test_dates_and_times_are_sent_to_the_second(at: dt.date) -> None:
    text = json.loads(calls.json_content({"at": at}))["at"]
    assert text == at.isoformat()[:19]


def test_a_forecast_becomes_a_frame_by_its_timestamps(scripted: Make) -> None:
    frame = scripted(forecast_ok()).run(lambda client: client.forecast(MONTHS, 2)).frame
    assert list(frame.columns) == ["median", "lower_bound", "upper_bound"]
    assert frame.loc["2025-02-01", "upper_bound"] == 3.0
    assert isinstance(frame.index, pd.DatetimeIndex)


def test_the_verdict_on_the_last_point_is_beside_its_value(scripted: Make) -> None:
    made = scripted(ok(DETECTION))
    result = made.run(lambda client: client.anomalies(MONTHS, detect="last"))
    assert made.body["detect"] == "last"
    assert result.frame["value"].tolist() == [11.0]
    assert result.change_points[0].after == 2.0
    assert repr(result) == "Detection(1 of 1 point flagged, 0 events)"


def test_a_backtest_is_a_table_with_gaps_where_a_measure_is_not_defined(scripted: Make) -> None:
    made = scripted(ok(BACKTEST))
    result = made.run(lambda client: client.backtest(MONTHS, 1, models=["Fast", 1], windows=1))
    assert made.body["models"] == ["forecast-model-2", "forecast-model-1"]
    assert made.body["windows"] == 1
    assert result.frame.index.tolist() == ["forecast-model-2", "seasonal_naive"]
    assert result.frame["mase"].isna().tolist() == [False, True]
    assert result.frame["mase"].dtype == "float64"
    assert result.windows[0].forecasts["seasonal_naive"].median == [1.0]
    assert repr(result) == "Backtest(best forecast-model-2, 2 models over 1 window)"


@pytest.mark.parametrize(
    ("body", "use"),
    [
        (FORECAST, lambda client: client.forecast(MONTHS, 2)),
        (DETECTION, lambda client: client.anomalies(MONTHS)),
        (BACKTEST, lambda client: client.backtest(MONTHS, 1)),
        (VERIFIED, lambda client: client.verify()),
        (MONITOR, lambda client: client.monitors.get("cpu")),
        (WEBHOOK, lambda client: client.webhooks.get("ops")),
        (SOURCE, lambda client: client.sources.get("prod")),
        (KEY_RECORD, lambda client: client.keys.get(3)),
    ],
    ids=["forecast", "anomalies", "backtest", "verify", "monitor", "webhook", "source", "key"],
)
def test_unknown_members_of_a_newer_service_are_ignored(
    scripted: Make, body: dict, use: Callable
) -> None:
    newer = ok(body | {"newer": 1}, X_Model_Id="forecast-model-1")
    older = ok(body, X_Model_Id="forecast-model-1")
    assert repr(scripted(newer).run(use)) == repr(scripted(older).run(use))


def test_limits_are_numbers_and_a_moment(scripted: Make) -> None:
    result = scripted(ok(VERIFIED)).run(lambda client: client.verify())
    assert (result.limit, result.remaining) == (100, 87)
    assert result.resets_at == dt.datetime(2026, 1, 1, 0, 1, tzinfo=dt.UTC)


def test_secrets_are_in_results_and_not_in_what_they_show(scripted: Make) -> None:
    created = scripted(ok(KEY_RECORD | {"key": KEY}, 201)).run(lambda c: c.keys.create(["read"]))
    assert created.key == KEY
    put = scripted(ok(WEBHOOK | {"secret": "whsec_2"}, 201))
    webhook = put.run(lambda client: client.webhooks.put("ops", "https://x.example"))
    assert webhook.secret == "whsec_2"
    assert "whsec_2" not in repr(webhook)
    assert KEY not in repr(created)


def test_a_creation_without_a_key_in_the_response_fails(scripted: Make) -> None:
    with pytest.raises(fc.UnexpectedResponseError):
        scripted(ok(KEY_RECORD)).run(lambda client: client.keys.create(["read"]))


def test_leaving_an_expiry_out_is_not_ending_it(scripted: Make) -> None:
    made = scripted(ok(KEY_RECORD))
    made.run(lambda client: client.keys.change(3, label="x"))
    assert made.body == {"label": "x"}
    made.run(lambda client: client.keys.change(3, expires_at=None))
    assert made.body == {"expires_at": None}


@pytest.mark.parametrize("grace", ["24h", dt.timedelta(days=1)])
def test_a_grace_is_a_string_or_a_duration(scripted: Make, grace: str | dt.timedelta) -> None:
    made = scripted(ok(KEY_RECORD | {"key": KEY}, 201))
    made.run(lambda client: client.keys.rotate(3, grace))
    assert made.body["grace"] in ("24h", "86400s")


@pytest.mark.parametrize(
    "until", ["2027-01-31T22:00:00+01:00", dt.datetime(2027, 1, 31, 21, 0, 0, 9, dt.UTC)]
)
def test_a_mute_is_a_string_or_a_moment_without_fractions(
    scripted: Make, until: str | dt.datetime
) -> None:
    made = scripted(ok(MONITOR | {"muted_until": "2027-01-31T21:00:00Z"}))
    monitor = made.run(
        lambda client: client.monitors.put("cpu", "Minutes", alert_severity=0, muted_until=until)
    )
    assert monitor.muted_until == dt.datetime(2027, 1, 31, 21, tzinfo=dt.UTC)
    assert made.body["alert_severity"] == 0
    assert made.body["muted_until"] in ("2027-01-31T22:00:00+01:00", "2027-01-31T21:00:00+00:00")


def test_the_case_of_a_monitors_frequency_is_ignored(scripted: Make) -> None:
    made = scripted(ok(MONITOR))
    made.run(lambda client: client.monitors.put("cpu", "hours"))
    assert made.body["data_frequency"] == "Hours"


@pytest.mark.parametrize("name", ["a/b", "a?b=c", "a#b", "ä ", "../keys", "%2e%2e"])
def test_a_name_stays_one_part_of_the_path(scripted: Make, name: str) -> None:
    made = scripted(ok(MONITOR))
    made.run(lambda client: client.monitors.get(name))
    sent = made.requests[0].url
    assert sent.raw_path.count(b"/") == 3
    assert sent.query == b""
    assert sent.path == f"/api/monitors/{name}"


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_is_another_path_is_rejected(scripted: Make, name: str) -> None:
    made = scripted(ok({}))
    for noun, use in (
        ("monitor", lambda client: client.monitors.get(name)),
        ("webhook", lambda client: client.webhooks.delete(name)),
        ("query", lambda client: client.sources.delete_query("prod", name)),
    ):
        with pytest.raises(fc.DataError, match=f"is not a {noun} name"):
            made.run(use)
    assert made.requests == []


def test_a_path_is_not_a_key_id(scripted: Make) -> None:
    made = scripted(ok({}))
    with pytest.raises(fc.DataError, match="key_id: '1/rotate': pass the number"):
        made.run(lambda client: client.keys.get("1/rotate"))
    assert made.requests == []


def test_an_append_without_points_is_rejected(scripted: Make) -> None:
    with pytest.raises(fc.DataError, match="no points: send at least one"):
        scripted(ok({})).run(lambda client: client.monitors.append("cpu", ([], [])))


def test_stored_credentials_are_kept_unless_they_are_replaced(scripted: Make) -> None:
    made, url = scripted(ok(SOURCE)), "https://prometheus.example"
    source = made.run(lambda client: client.sources.put("prod", url, tenant="a"))
    assert made.body == {"url": url, "tenant": "a", "alertmanagers": []}
    assert source.authorization.type == "bearer"
    assert [(query.name, query.state) for query in source.queries] == [("errors", "live")]
    for sent in (None, {"type": "bearer", "token": "secret"}):
        made.run(lambda client, sent=sent: client.sources.put("prod", url, authorization=sent))
        assert made.body["authorization"] == sent


def test_the_next_page_begins_after_the_cursor(scripted: Make) -> None:
    names = ("status", "expected", "lower_bound", "upper_bound", "p_value", "severity")
    point = {"timestamp": TIMES[0], "value": 1.0, "is_anomaly": False, **dict.fromkeys(names)}
    first = ok({"points": [point | {"cursor": 5}, point | {"cursor": 9}], "next": 9})
    made = scripted(first, ok({"points": [point | {"cursor": 12}], "next": None}))
    stored = made.run(lambda client: client.monitors.points("cpu", after=3, newest_first=True))
    assert [point.cursor for point in stored] == [5, 9, 12]
    asked = [dict(request.url.params) for request in made.requests]
    assert [query["after"] for query in asked] == ["3", "9"]
    assert {(query["limit"], query["order"]) for query in asked} == {("1000", "desc")}


def test_an_event_of_two_requests_is_reported_once_as_it_is_now() -> None:
    event = {
        "id": 1,
        "cursor": 1,
        "kind": "spike",
        "direction": "up",
        "start": TIMES[0],
        "end": None,
        "peak_timestamp": TIMES[0],
        "reached_at": None,
        "severity": 50.0,
        "deviation": 12.5,
        "is_alert": True,
        "closed_as": None,
        "opened_at": "2026-01-01T00:00:00Z",
        "closed_at": None,
    }
    names = ("status", "is_anomaly", "expected", "lower_bound", "upper_bound", "p_value")
    body = {"timestamps": [TIMES[0]], "severity": [1.0], "reason": None}
    body |= {name: [None] for name in names}
    opened = parse_record(
        Appended, body | {"state": "anomalous", "events": [event]}, notices=("a",)
    )
    closing = event | {"cursor": 2, "closed_as": "ended", "closed_at": "2026-01-01T00:01:00Z"}
    closed = parse_record(Appended, body | {"state": "normal", "events": [closing]}, notices=("b",))
    joined = join_appended([opened, closed])
    assert joined.timestamps == TIMES[:1] * 2
    assert (joined.state, joined.notices) == ("normal", ("a", "b"))
    assert [event.closed_as for event in joined.events] == ["ended"]
