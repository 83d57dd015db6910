"""Corrections to generated bodies for rules that a schema cannot express."""

from typing import Any

from app.api.dialects.timegpt.declaration import PATH_PREFIX

__all__ = ["PATH_PREFIX", "make_valid"]

SERIES_LENGTH, MAX_COLUMNS, MAX_WINDOWS = 12, 2, 2


def make_valid(body: dict[str, Any]) -> None:
    """Keep one valid series of the generated body.

    It keeps values enough for the windows that are asked for, and columns that fit it.
    """
    series = body["series"]
    values = [1 if value is None else value for value in series["y"][:SERIES_LENGTH]]
    series["y"] = values + list(range(SERIES_LENGTH - len(values)))
    series["sizes"] = [SERIES_LENGTH]
    body["h"] = min(body.get("h", 1), 3)
    columns = min(len(series.get("X") or ()), MAX_COLUMNS)
    series["X"] = [list(range(SERIES_LENGTH))] * columns
    if series.get("X_future"):
        series["X_future"] = [[1] * body["h"]] * min(len(series["X_future"]), columns)
    series["categorical_exog"] = list(
        range(min(len(series.get("categorical_exog") or ()), columns))
    )
    for name in ("n_windows", "step_size", "detection_size"):
        if body.get(name) is not None:
            body[name] = min(body[name], MAX_WINDOWS)
    body["model"] = "timegpt-2.1"
