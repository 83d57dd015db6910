"""PUT, GET and DELETE of a monitor: settings, names and errors."""

from typing import Any

import pytest

from app.watching.monitors import monitor_registry
from tests.support.api import Api, details_of, error_of, first_defect, with_entry
from tests.support.monitors import SETTINGS, Monitor, noise_at_100, points
from tests.support.series import daily_body, regular_body

DEFAULTS = SETTINGS | {
    "false_alarm_rate": 0.001,
    "direction": "both",
    "webhook": None,
    "alert_severity": 50.0,
    "alert_min_deviation": 0.0,
    "muted_until": None,
    "limit": None,
    "alert_for": 1,
    "alert_min_relative": 0.0,
}
ALERTS = {"alert_severity": 62.5, "alert_min_deviation": 1e9, "muted_until": "2100-01-31T22:00:00Z"}
HOOK = "https://example.com/hook"
NAME_ISSUE = (
    "not a valid monitor name: send 1 to 100 of a-z, 0-9, hyphens, underscores and dots, and not "
    "only dots"
)
BAD_NAMES = ["A", "Cpu", "a" * 101, "...", "ä", "a b", "a%0A", "a+b", "a:b", "%00", "a%3Fb", "~"]
FRACTION = "a fraction, not a percentage; send 0.01 for 1 %, 0.05 for 5 %"
RATE = f"Must be between 0.0001 and 0.1: {FRACTION}"
STEP = "Must be between 1 and 10000"
WHOLE_NUMBER_ISSUE = "Must be a whole number, without quotes and without a fraction"
FIELDS = ", ".join([*DEFAULTS, "series"])
NUMBER = "Must be a number, without quotes"
MOMENT = "Must be a timestamp, such as 2027-01-31T22:00:00Z, or null"
WEBHOOK = "Must be the name of a webhook, such as ops, or null; GET /webhooks lists them"
WRONG: list[tuple[str, Any, str]] = [
    *(("step", value, STEP) for value in (0, -1, 10_001)),
    *(("step", value, WHOLE_NUMBER_ISSUE) for value in ("5", 1.5, None, True, [5])),
    *(("false_alarm_rate", value, RATE) for value in (0, 0.2)),
    ("direction", "above", "unknown direction: 'above' was sent; send one of both, up, down"),
    *(("webhook", value, WEBHOOK) for value in (1, "", "Ops", "..", [HOOK], HOOK)),
    (
        "webhook",
        "nobody",
        "the account has no webhook 'nobody': create it with PUT /webhooks/nobody, or send a name "
        "that GET /webhooks lists",
    ),
    *(("alert_severity", value, "Must be between 0 and 100") for value in (-0.1, 100.1)),
    *(("alert_severity", value, NUMBER) for value in ("50", True, None, [50])),
    ("alert_min_deviation", -1e-9, "Must be 0 or more, in the unit of the values"),
    *(("alert_min_deviation", value, NUMBER) for value in ("5 %", False, None)),
    *(("muted_until", value, MOMENT) for value in (1_893_456_000, True, ["2030-01-01T00:00:00Z"])),
    (
        "muted_until",
        "0001-01-01T00:00:00+01:00",
        "not between the years 1 and 9999 in UTC; send null",
    ),
    ("name", "a", f"unknown field: remove it or check its spelling; known are {FIELDS}"),
    ("series", None, "Must be an array of exactly 1 series"),
    ("series", [], "Must hold exactly 1 series, not 0; send an array of one object with "
     "timestamps and values"),
]  # fmt: skip


def history(body: dict[str, Any]) -> dict[str, Any]:
    """Return the series of a body of POST /forecast as a history."""
    return {name: body[name] for name in ("series", "data_frequency")}


def test_a_new_monitor_is_shown_with_its_defaults(api: Api) -> None:
    name = "made-with-defaults"
    response = api.send("PUT", f"/monitors/{name}", {"data_frequency": "Hours"})
    body = response.get_json()
    assert response.status_code == 201
    assert body.pop("created_at").endswith("Z")
    assert body == DEFAULTS | {
        "name": name,
        "data_frequency": "Hours",
        "step": 1,
        "state": "learning",
        "quality": None,
        "reason": "new",
        "is_anomalous": False,
        "points": 0,
        "last_point": None,
        "overdue_at": None,
        "source": None,
        "query": None,
        "labels": None,
    }


def test_the_same_put_again_changes_nothing(api: Api) -> None:
    monitor = Monitor.create(api)
    first = monitor.get()
    second = monitor.put()
    assert (second.status_code, second.get_json()) == (200, first)
    assert monitor.get() == first


def test_a_put_replaces_all_settings(api: Api) -> None:
    monitor = Monitor.create_with_webhook(api, false_alarm_rate=0.01, direction="up", **ALERTS)
    assert ALERTS.items() <= monitor.get().items()
    assert monitor.put().status_code == 200
    assert DEFAULTS.items() <= monitor.get().items()


def test_the_settings_that_are_shown_can_be_put_again(api: Api) -> None:
    monitor = Monitor.create(api, false_alarm_rate=0.02, direction="down", **ALERTS)
    response = monitor.get()
    assert monitor.put(**{name: response[name] for name in DEFAULTS}).get_json() == response


@pytest.mark.parametrize("name", ["a", "0", "a" * 100, "a.b-c_d", ".a", "-", "_", "..a", "a.."])
def test_a_valid_name_is_accepted(api: Api, name: str) -> None:
    assert api.send("PUT", f"/monitors/{name}", SETTINGS).status_code == 201
    assert api.request("GET", f"/monitors/{name}").get_json()["name"] == name
    assert api.request("DELETE", f"/monitors/{name}").status_code == 204


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_rejected_with_what_a_name_may_be(api: Api, name: str) -> None:
    field, issue, _provided = first_defect(api.send("PUT", f"/monitors/{name}", SETTINGS), 400)
    assert (field, issue) == ("name", NAME_ISSUE)


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("DELETE", ""), ("GET", "/points")])
def test_an_invalid_name_is_404(api: Api, name: str, method: str, rest: str) -> None:
    error_of(api.request(method, f"/monitors/{name}{rest}"), 404)


@pytest.mark.parametrize("path", ["/monitors/", "/monitors/a/b", "/monitors//a"])
def test_a_name_with_a_slash_is_another_path(api: Api, path: str) -> None:
    issue = details_of(api.send("PUT", path, SETTINGS), 404)["issue"]
    assert "PUT /monitors/{name}" in issue


@pytest.mark.parametrize(("field", "value", "issue"), WRONG)
def test_a_wrong_setting_is_named_with_what_to_send(
    api: Api, field: str, value: Any, issue: str
) -> None:
    reported, issue_sent, _provided = first_defect(
        api.send("PUT", "/monitors/never-made", SETTINGS | {field: value}), 400
    )
    assert (reported, issue_sent) == (field, issue)
    error_of(api.request("GET", "/monitors/never-made"), 404)


def test_an_unknown_frequency_is_rejected(api: Api) -> None:
    response = api.send("PUT", "/monitors/never-made", {"data_frequency": "hourly"})
    field, issue, _provided = first_defect(response, 400)
    assert field == "data_frequency"
    assert issue.startswith("invalid frequency: 'hourly' was sent; did you mean Hours? send one of")


def test_the_frequency_must_be_sent(api: Api) -> None:
    field, issue, _provided = first_defect(api.send("PUT", "/monitors/never-made", {}), 400)
    assert field == "data_frequency"
    assert issue.startswith("missing: send one of ")


@pytest.mark.parametrize("text", ["", "tomorrow", "2030-01-31", "2030-02-30T00:00:00Z", "24h"])
def test_a_mute_without_a_timestamp_of_the_calendar_is_rejected(api: Api, text: str) -> None:
    response = api.send("PUT", "/monitors/never-made", SETTINGS | {"muted_until": text})
    field, issue, provided = first_defect(response, 400)
    assert (field, provided) == ("muted_until", text)
    assert issue.startswith("invalid timestamp format")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("2030-01-31T22:00:00+02:00", "2030-01-31T20:00:00Z"),
        ("2030-01-31T22:00:00", "2030-01-31T22:00:00Z"),
        ("2030-01-31T22:00:00.000Z", "2030-01-31T22:00:00Z"),
        ("2001-01-31T22:00:00Z", "2001-01-31T22:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ],
)
def test_a_mute_is_shown_in_utc(api: Api, sent: str, shown: str) -> None:
    assert Monitor.create(api, muted_until=sent).get()["muted_until"] == shown


class TestHistory:
    """`series` in the body: what a new monitor learns from."""

    @pytest.mark.parametrize("frequency", ["Seconds", "Hours", "Daily", "Monthly", "Yearly"])
    def test_a_history_may_be_of_any_frequency(self, api: Api, frequency: str) -> None:
        monitor = Monitor.create(api, step=1, **history(regular_body(frequency)))
        assert monitor.get()["points"] == 40

    def test_a_second_history_is_ignored_with_a_notice(self, api: Api) -> None:
        monitor = Monitor.create(api, series=[points(noise_at_100(40))])
        second = monitor.put(series=[points(noise_at_100(60))])
        assert second.status_code == 200
        assert "X-Forecast-Notice" in second.headers
        assert monitor.get()["points"] == 40

    def test_another_step_is_rejected_with_the_one_to_send(self, api: Api) -> None:
        body = {"data_frequency": "Minutes", "series": [points(noise_at_100(40))]}
        response = api.send("PUT", "/monitors/never-made", body)
        field, issue, _provided = first_defect(response, 422)
        assert field == "series[0].timestamps[1]"
        assert issue == (
            "not the step of the monitor: the timestamps are 5 minutes apart; send step "
            "5, or a history with the step of the monitor"
        )

    @pytest.mark.parametrize(
        ("frequency", "step", "longer"),
        [
            ("Minutes", 60, "Hours"),
            ("Daily", 7, "Weekly"),
            ("Hours", 168, "Weekly"),
            ("Monthly", 3, "Quarterly"),
        ],
    )
    def test_a_step_of_a_longer_unit_is_rejected_without_a_history_too(
        self, api: Api, frequency: str, step: int, longer: str
    ) -> None:
        body = {"data_frequency": frequency, "step": step}
        response = api.send("PUT", "/monitors/never-made", body)
        field, issue, provided = first_defect(response, 422)
        assert (field, provided) == ("step", step)
        assert issue.endswith(f"not {frequency}; send data_frequency {longer} and step 1")

    @pytest.mark.parametrize(("frequency", "step"), [("Minutes", 90), ("Hours", 1), ("Daily", 14)])
    def test_a_step_that_is_no_unit_is_accepted(self, api: Api, frequency: str, step: int) -> None:
        assert Monitor.create(api, data_frequency=frequency, step=step)

    def test_another_frequency_is_rejected_as_by_a_forecast(self, api: Api) -> None:
        body = SETTINGS | {"series": daily_body()["series"]}
        field, issue, _provided = first_defect(api.send("PUT", "/monitors/never-made", body), 422)
        assert field == "series[0].timestamps[1]"
        assert issue.endswith("which is Daily, not Minutes; send data_frequency Daily and step 1")

    @pytest.mark.parametrize(
        ("column", "index", "entry"),
        [("values", 3, None), ("values", 3, "1"), ("timestamps", 5, "yesterday")],
    )
    def test_wrong_data_is_named_by_its_index(
        self, api: Api, column: str, index: int, entry: Any
    ) -> None:
        body = with_entry(history(daily_body()), column, index, entry)
        response = api.send("PUT", "/monitors/never-made", body)
        assert first_defect(response, 422)[0] == f"series[0].{column}[{index}]"
        error_of(api.request("GET", "/monitors/never-made"), 404)


class TestChanges:
    """The settings that may change once there are points."""

    @pytest.mark.parametrize(
        ("field", "value", "has"), [("data_frequency", "Hours", "Minutes"), ("step", 10, 5)]
    )
    def test_the_grid_is_fixed_by_the_first_point(
        self, api: Api, field: str, value: Any, has: Any
    ) -> None:
        monitor = Monitor.create(api)
        monitor.append([1.0])
        before = monitor.get()
        assert first_defect(monitor.put(**{field: value}), 400) == (
            field,
            f"cannot change: the monitor has points, and its {field} is {has}; send that "
            "value, delete the monitor first, or use another name",
            value,
        )
        assert monitor.get() == before

    def test_a_fixed_grid_is_named_though_the_monitor_is_deleted_meanwhile(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monitor = Monitor.create(api)
        monitor.append([1.0])
        put_monitor = monitor_registry.put_monitor

        def put_and_delete(*arguments: Any, **options: Any) -> None:
            try:
                put_monitor(*arguments, **options)
            finally:
                assert api.request("DELETE", monitor.path).status_code == 204

        with monkeypatch.context() as patched:
            patched.setattr(monitor_registry, "put_monitor", put_and_delete)
            rejected = monitor.put(step=10)
        assert first_defect(rejected, 400)[0] == "step"

    def test_the_grid_may_change_before_there_are_points(self, api: Api) -> None:
        monitor = Monitor.create(api)
        assert monitor.put(data_frequency="Daily", step=1).status_code == 200
        assert monitor.get()["data_frequency"] == "Daily"


def test_points_for_a_monitor_that_is_not_there_are_rejected(api: Api) -> None:
    issue = details_of(Monitor(api, "nobody").post(points([1.0])), 404)["issue"]
    assert issue == (
        "there is no monitor 'nobody'; GET /monitors lists the monitors of the "
        "account, PUT /monitors/{name} creates one"
    )
