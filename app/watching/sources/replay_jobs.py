"""The jobs of a replay, for engine processes: read a response, and judge the series."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.core.http.errors import HttpError
from app.watching.monitors.judging.monitor_replay import MonitorReplay
from app.watching.monitors.settings.monitor_records import EventRecord, PointStatus, Replay
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.sources.query_replay import (
    MAX_REPLAY_EVENTS,
    MAX_SERIES_EVENTS,
    EventMeasures,
    JudgedSteps,
    ReplayedEvent,
    ReplayedValues,
    ReplayPlan,
    SeriesReplay,
)
from app.watching.sources.responses import Matrix, SourceResponse, parse_matrix
from app.watching.sources.series import (
    has_ended,
    labels_json,
    learning_history,
    unix_seconds,
    utc_timestamps,
)
from app.watching.sources.steps import ABSENT_STEPS


def read_chunk(
    response: SourceResponse,
    start: int,
    step: int,
    step_count: int,
    keys: Sequence[str] | None,
    max_series: int,
) -> Matrix | HttpError:
    """Return the series with these ``keys``; None: the first ``max_series`` that have not ended.

    Errors are returned: what a job raises counts as a failure of the engine.
    """
    try:
        matrix = parse_matrix(response, start, step, step_count)
    except HttpError as error:
        return error
    if keys is not None:
        wanted = set(keys)
        kept = [pair for pair in matrix.series if labels_json(pair[0]) in wanted]
    else:
        alive = [(labels, values) for labels, values in matrix.series if not has_ended(values)]
        kept = alive[:max_series]
    return replace(matrix, series=kept)


def replay_series(
    series: Sequence[ReplayedValues], plan: ReplayPlan, settings: MonitorSettings, points_kept: int
) -> list[SeriesReplay]:
    replays: list[SeriesReplay] = []
    remaining_events = MAX_REPLAY_EVENTS
    for replayed in series:
        replay = replay_monitor(replayed, plan, settings, points_kept)
        count = min(remaining_events, MAX_SERIES_EVENTS, len(replay.events))
        replays.append(_summary(replayed, replay, plan, count))
        remaining_events -= count
    return replays


def _summary(series: ReplayedValues, replay: Replay, plan: ReplayPlan, count: int) -> SeriesReplay:
    points = replay.points
    times = np.array([unix_seconds(point.timestamp) for point in points], dtype=np.int64)
    columns = (
        np.array([getattr(point, name) for point in points], dtype=np.float64)
        for name in ("value", "expected", "lower", "upper")
    )
    expected = {point.timestamp: point.expected for point in points}
    measures = [
        _event_measures(event, expected.get(event.peak_timestamp), points[-1].timestamp, plan.step)
        for event in replay.events
    ]
    shown = replay.events[len(replay.events) - count :]
    return SeriesReplay(
        labels=series.labels,
        points=len(points),
        alerts=len(replay.alerts),
        events=[
            ReplayedEvent(**vars(event), alerted_at=replay.alerted_at.get(event.id))
            for event in shown
        ],
        judged=JudgedSteps(times, *columns),
        measures=measures,
        verdict_count=sum(point.status is PointStatus.JUDGED for point in points),
        learned_count=int(np.sum(~np.isnan(series.values[: plan.history_steps]))),
    )


def _event_measures(
    event: EventRecord, expected: float | None, newest: str, step: int
) -> EventMeasures:
    relative = None
    if event.deviation is not None and expected:
        relative = event.deviation / abs(expected)
    seconds = unix_seconds(event.end or newest) - unix_seconds(event.start)
    duration_steps = round(seconds / step) + 1
    return EventMeasures(event.severity, event.deviation, relative, duration_steps)


def replay_monitor(
    series: ReplayedValues, plan: ReplayPlan, settings: MonitorSettings, points_kept: int
) -> Replay:
    """Judge each step as a poll right after it would; a series without values becomes absent."""
    complete = np.where(series.is_partial, np.nan, series.values)
    learned = complete[: plan.history_steps]
    step = plan.step
    learned_to = plan.end - plan.judged_steps * step
    is_alive = not has_ended(series.values[: plan.history_steps])
    history = learning_history(learned, learned_to, step, settings) if is_alive else None
    monitor = MonitorReplay(settings, history, points_kept)
    seen_to, is_absent = learned_to, False
    is_returned = ~np.isnan(series.values[plan.history_steps :])
    for number, value in enumerate(complete[plan.history_steps :].tolist(), 1):
        judged_at = learned_to + number * step
        if not np.isnan(value):
            monitor.append(utc_timestamps(np.array([judged_at])), value)
            seen_to, is_absent = judged_at, False
        elif is_returned[number - 1]:
            seen_to = judged_at if monitor.has_points else seen_to
        elif judged_at - seen_to > ABSENT_STEPS * step and not is_absent:
            monitor.end_absent()
            is_absent = True
    return monitor.finish()
