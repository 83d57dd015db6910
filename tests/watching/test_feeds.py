"""A fed monitor is named after its series."""

from app.watching.feeds import Feed


def test_the_name_of_a_metric_is_shown_without_its_label() -> None:
    labels = {"__name__": "temp", "room": "a"}
    assert Feed("prod", "heat", labels).title == "heat: temp, room=a"
    assert Feed("prod", "heat", {"room": "a"}).title == "heat: room=a"
    assert Feed("prod", "heat", {}).title == "heat"
