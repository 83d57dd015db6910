"""The chart of a monitor with a limit: the forecast of its event."""

from tests.support.keys import bearer
from tests.support.members import text_of
from tests.support.watching import evaluate_limits

DISK = [40.0 + index for index in range(40)]


def test_the_chart_draws_the_forecast_of_its_event_not_a_newer_one(
    app, admin, client, key, create_monitor_with_points
) -> None:
    create_monitor_with_points("disk", DISK, limit={"upper": 95, "horizon": 30})
    with app.app_context():
        assert evaluate_limits() == 1
    evaluated = admin.get("/account/monitors/disk/forecast").get_json()
    newest = client.get("/monitors/disk", headers=bearer(key)).get_json()["last_point"]["timestamp"]
    after = evaluated["forecast_timestamps"][:3]
    points = {"timestamps": after, "values": [60.0, 41.0, 40.0]}
    client.post("/monitors/disk/points", json=points, headers=bearer(key))
    drawn = admin.get("/account/monitors/disk/forecast").get_json()
    assert newest < drawn["forecast_timestamps"][0]
    assert drawn == evaluated
    (event,) = (
        event
        for event in admin.get("/account/monitors/disk/chart").get_json()["events"]
        if event["kind"] == "limit_ahead"
    )
    page = text_of(admin.get("/account/monitors/disk"))
    assert "disk learning limit ahead" in page
    list_text = text_of(admin.get("/account/monitors"))
    assert "1 limit ahead" in list_text
    assert "disk" in text_of(admin.get("/account/monitors?state=limit_ahead"))
    assert event["reached_at"] == drawn["reached"]["upper"]["p50"]
    assert event["severity"] == round(100 * drawn["reached"]["upper"]["probability"], 1)
    by_key = client.get("/monitors/disk/forecast", headers=bearer(key)).get_json()
    assert by_key["forecast_timestamps"][0] > after[-1]
