"""Bodies of responses about monitors."""

from app.api.monitors.response import point_bodies
from app.watching.monitors.monitor_records import Point, PointStatus

TIME = "2024-01-01T00:00:00"


def test_p_values_are_rounded_so_that_none_crosses_the_rate() -> None:
    """Down where flagged, else up; a point that was not judged has none."""
    points = [
        Point(0, TIME, 1.0, PointStatus.LEARNING),
        Point(1, TIME, 1.0, PointStatus.JUDGED, p_value=0.123456),
        Point(2, TIME, 9.0, PointStatus.JUDGED, is_anomaly=True, p_value=9.87654e-9),
        Point(3, TIME, 9.0, PointStatus.JUDGED, is_anomaly=True, p_value=1e-300),
    ]
    assert [body["p_value"] for body in point_bodies(points)] == [None, 0.1235, 9.876e-9, 1e-300]
