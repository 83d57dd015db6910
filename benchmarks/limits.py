"""Limits reached ahead of time: ``python -m benchmarks.limits [--quick] [--data nab.json.gz]``.

Hourly series whose future is known are replayed as the worker evaluates limits: disks, queues,
quotas, connection pools and certificates that reach a limit, and calm ones that do not. Beside the
service, Prometheus' ``predict_linear`` over windows of 1 h, 6 h and 1 d of 5-minute samples. Prints
the table of `docs/developing/limits-ahead.md`.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.forecasting.jobs.limit_forecasts import forecast_with_limits
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from app.timeseries.types import FloatArray
from app.watching.monitors.settings.limits import DEFAULT_PROBABILITY
from app.watching.monitors.worker.limit_events import LOW_EVALUATIONS, LOW_FRACTION

HORIZON = 72
LEARNED = 14 * 24
REPLAYED = 20 * 24
LENGTH = LEARNED + REPLAYED
# Steps between two evaluations of the replay. The worker evaluates hourly series each hour; fewer
# evaluations make announcements later, never earlier.
EVALUATION_STEPS = 12
SAMPLES_PER_STEP = 12
LINEAR_HOURS = (1, 6, 24)
DRAWS, QUICK_DRAWS = 5, 1
HOURS_PER_YEAR = 8_766
BINS = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
Draw = Callable[[np.random.Generator], tuple[FloatArray, float]]
TIME = np.arange(LENGTH * SAMPLES_PER_STEP) / SAMPLES_PER_STEP  # hours of the samples


@dataclass(frozen=True)
class Trace:
    """A series of n steps, each of 12 samples, shape (n, 12), and its upper limit."""

    kind: str
    samples: FloatArray
    limit: float

    @property
    def values(self) -> FloatArray:
        """The last sample of each step, which the monitor stores."""
        return self.samples[:, -1]


def noise(rng: np.random.Generator, sigma: float) -> FloatArray:
    """Return autocorrelated noise for the samples: measurements of a state."""
    white = rng.normal(0, sigma, len(TIME))
    smooth = np.convolve(white, np.ones(6) / np.sqrt(6), "same")
    return 0.5 * white + 0.8 * smooth


def steady_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk that fills steadily, full in the second half of the replay."""
    full_at = LEARNED + REPLAYED * rng.uniform(0.4, 0.9)
    start = rng.uniform(20, 60)
    return start + (95 - start) * TIME / full_at + noise(rng, 0.15), 95.0


def step_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk on which files of different sizes arrive each few hours."""
    full_at = LEARNED + REPLAYED * rng.uniform(0.4, 0.9)
    is_arrival = rng.random(len(TIME)) < 1 / (4 * SAMPLES_PER_STEP)
    filled = np.cumsum(is_arrival * rng.gamma(2, 1, len(TIME)))
    at = int(full_at * SAMPLES_PER_STEP)
    return 30 + 65 * filled / filled[at], 95.0


def rhythm_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk that fills by day and hardly at night."""
    full_at = LEARNED + REPLAYED * rng.uniform(0.4, 0.9)
    rate = np.clip(1 + 1.2 * np.sin(2 * np.pi * (TIME - 8) / 24), 0.05, None)
    filled = np.cumsum(rate)
    at = int(full_at * SAMPLES_PER_STEP)
    return 40 + 55 * filled / filled[at] + noise(rng, 0.1), 95.0


def cleaned_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk that a job cleans each night, and which never fills."""
    phase = (TIME - 3) % 24
    level = rng.uniform(55, 70)
    return level + rng.uniform(10, 20) * phase / 24 + noise(rng, 0.5), 95.0


def weekly_cleaned_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk that is cleaned each Sunday, fuller each week, and full in the end."""
    week, phase = np.divmod(TIME, 168)
    return 50 + 20 * phase / 168 + rng.uniform(4, 5.5) * week + noise(rng, 0.3), 95.0


def calm_disk(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a disk that wanders."""
    walk = np.cumsum(rng.normal(0, 0.03, len(TIME)))
    return 60 + 6 * np.tanh(walk / 6) + noise(rng, 0.2), 95.0


def growing_queue(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a queue that is empty until consumers fall behind."""
    begin = LEARNED + REPLAYED * rng.uniform(0.3, 0.6)
    rate = rng.uniform(20, 60)
    backlog = np.maximum(0, TIME - begin) * rate
    return np.maximum(0, backlog + rng.gamma(2, 20, len(TIME))), 5_000.0


def calm_queue(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a queue with a day, far below its limit."""
    day = 300 * (1 + np.sin(2 * np.pi * TIME / 24))
    return np.maximum(0, day + rng.gamma(2, 40, len(TIME))), 5_000.0


def quota(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return a monthly quota that is used by working days and reset each 30 days."""
    is_weekend = (TIME // 24) % 7 >= 5
    rate = np.where(is_weekend, 0.3, 1.0) * (1 + 0.8 * np.sin(2 * np.pi * (TIME - 9) / 24))
    used = np.cumsum(np.clip(rate, 0, None)) / SAMPLES_PER_STEP
    used = used * 1_000 / (24 * 22) * rng.uniform(0.9, 1.25)
    month = TIME // (30 * 24)
    starts = np.searchsorted(month, month)
    return used - used[starts], 1_000.0


def pool(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return connections with a daily pattern, a few of which leak."""
    leak_per_hour = (100 - 45) / (LEARNED + REPLAYED * rng.uniform(0.5, 0.95))
    day = 10 * np.sin(2 * np.pi * (TIME - 8) / 24)
    return 35 + day + leak_per_hour * TIME + noise(rng, 1.5), 100.0


def calm_pool(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return connections with a day and a week, which stay below the limit."""
    is_weekend = (TIME // 24) % 7 >= 5
    day = (15 + 25 * np.clip(np.sin(2 * np.pi * (TIME - 8) / 24), 0, None)) * (1 - 0.5 * is_weekend)
    return 20 + day + noise(rng, 2), 100.0


def certificate(rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return the age of a certificate in days; it is renewed, or not, at 60 days."""
    start = rng.uniform(20, 45)
    age = start + TIME / 24
    is_renewed = rng.random() < 0.5
    return np.where(is_renewed & (age > 60), age - 60, age), 75.0


KINDS: dict[str, Draw] = {
    "disk, steady": steady_disk,
    "disk, in steps": step_disk,
    "disk, by day": rhythm_disk,
    "disk, cleaned nightly": cleaned_disk,
    "disk, cleaned weekly": weekly_cleaned_disk,
    "disk, calm": calm_disk,
    "queue, growing": growing_queue,
    "queue, calm": calm_queue,
    "quota": quota,
    "pool, leaking": pool,
    "pool, calm": calm_pool,
    "certificate": certificate,
}


def made_traces(draws: int) -> list[Trace]:
    """Return ``draws`` series of each kind."""
    return [
        Trace(kind, samples.reshape(LENGTH, SAMPLES_PER_STEP), limit)
        for number, (kind, draw) in enumerate(KINDS.items())
        for seed in range(draws)
        for samples, limit in [draw(np.random.default_rng([number, seed]))]
    ]


def real_traces(path: Path) -> list[Trace]:
    """Return the series of a file of NAB, each with a limit that it passes now and then.

    ``path`` has an array of objects with ``name`` and ``values`` of five minutes. The limit is the
    highest value of the learned part, and 10 % of its span.
    """
    with gzip.open(path, "rt") as file:
        body = json.load(file)
    traces = []
    for item in body:
        values = np.array(item["values"], dtype=float)
        steps = len(values) // SAMPLES_PER_STEP
        if steps < LEARNED:  # two weeks of five minutes are 336 hours
            continue
        samples = values[: steps * SAMPLES_PER_STEP].reshape(steps, SAMPLES_PER_STEP)
        learned = samples[: steps // 2]
        limit = learned.max() + 0.1 * (learned.max() - learned.min())
        traces.append(Trace("real", samples, float(limit)))
    return traces


@dataclass
class Outcome:
    """The result of a method on the replay of one series.

    ``ahead``: for each crossing, the steps between its announcement and it, 0 if there was none.
    """

    ahead: list[int] = field(default_factory=list)
    false_announcements: int = 0
    probabilities: list[FloatArray] = field(default_factory=list)
    is_beyond: list[FloatArray] = field(default_factory=list)


# Returns the probability of a value beyond the limit at each step after an index.
Method = Callable[[Trace, int], FloatArray]


def service_probabilities(trace: Trace, origin: int) -> FloatArray:
    """Return the probabilities of the service; the worker looks at the highest."""
    history = trace.values[: origin + 1]
    times = np.datetime64("2026-01-05T00", "s") + np.arange(len(history)) * np.timedelta64(1, "h")
    series = Series(history, fit_calendar(times, Frequency.HOURS), "Z")
    forecast = forecast_with_limits(series, HORIZON, trace.limit, None)
    assert forecast.above is not None
    return forecast.above


def predict_linear(hours: int) -> Method:
    """Return Prometheus' least squares over the samples of the last ``hours``: 0 or 1."""

    def predict(trace: Trace, origin: int) -> FloatArray:
        samples = trace.samples[: origin + 1].ravel()[-hours * SAMPLES_PER_STEP :]
        at = np.arange(1 - len(samples), 1) / SAMPLES_PER_STEP
        slope, level = np.polyfit(at, samples, 1)
        return (level + slope * np.arange(1, HORIZON + 1) > trace.limit).astype(float)

    return predict


METHODS: dict[str, Method] = {
    "service": service_probabilities,
    **{f"predict_linear, {hours} h": predict_linear(hours) for hours in LINEAR_HOURS},
}


def replay(trace: Trace, method: Method) -> Outcome:
    """Evaluate the limit of a series every `EVALUATION_STEPS` steps, as the worker does."""
    values = trace.values
    outcome = Outcome()
    is_beyond = values > trace.limit
    first = min(LEARNED, len(values) // 2)
    opened: int | None = None
    low = 0
    for origin in range(first, len(values) - HORIZON, EVALUATION_STEPS):
        recent = is_beyond[origin - EVALUATION_STEPS + 1 : origin + 1]
        if recent.any():
            if opened is not None or not is_beyond[origin - EVALUATION_STEPS]:
                crossing = origin - EVALUATION_STEPS + 1 + int(recent.argmax())
                outcome.ahead.append(0 if opened is None else crossing - opened)
            opened = None
            low = 0
        if is_beyond[origin]:
            continue
        probabilities = method(trace, origin)
        outcome.probabilities.append(probabilities)
        outcome.is_beyond.append(is_beyond[origin + 1 : origin + HORIZON + 1].astype(float))
        highest = probabilities.max()
        low = low + 1 if highest < LOW_FRACTION * DEFAULT_PROBABILITY else 0
        if opened is None and highest >= DEFAULT_PROBABILITY:
            opened = origin
        elif opened is not None and low >= LOW_EVALUATIONS:
            outcome.false_announcements += 1
            opened = None
    if opened is not None and not is_beyond[opened:].any():
        outcome.false_announcements += 1
    return outcome


@dataclass(frozen=True)
class Summary:
    """What a method achieved: shares, and events per series and year."""

    crossings: int
    early: float
    announced: float
    false_per_year: float
    brier: float
    reliability: FloatArray


def summarize(outcomes: Sequence[Outcome]) -> Summary:
    """Return the measures over all series; the Brier score is over all steps of all forecasts."""
    ahead = [steps for outcome in outcomes for steps in outcome.ahead]
    evaluations = sum(len(outcome.probabilities) for outcome in outcomes)
    years = evaluations * EVALUATION_STEPS / HOURS_PER_YEAR
    stated = np.concatenate([np.concatenate(outcome.probabilities) for outcome in outcomes])
    happened = np.concatenate([np.concatenate(outcome.is_beyond) for outcome in outcomes])
    part = np.digitize(stated, BINS[1:-1])
    shares = []
    for number in range(len(BINS) - 1):
        inside = part == number
        means = (stated[inside].mean(), happened[inside].mean()) if inside.any() else (0.0, 0.0)
        shares.append((*means, inside.sum()))
    return Summary(
        len(ahead),
        float(np.mean([steps >= HORIZON / 2 for steps in ahead])),
        float(np.mean([steps > 0 for steps in ahead])),
        sum(outcome.false_announcements for outcome in outcomes) / years,
        float(np.mean((stated - happened) ** 2)),
        np.array(shares),
    )


def measure_cost(traces: Sequence[Trace]) -> float:
    """Return the share of a core that 500 hourly series take."""
    began = time.process_time()
    for trace in traces:
        service_probabilities(trace, len(trace.values) - HORIZON - 1)
    return (time.process_time() - began) / len(traces) * 500 / 3_600


def main() -> None:
    """Replay all series by all methods and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, help="series of NAB, as make bench-anomalies reads")
    options = parser.parse_args()
    traces = made_traces(QUICK_DRAWS if options.quick else DRAWS)
    traces += real_traces(options.data) if options.data else []
    print(
        f"{len(traces)} series, {HORIZON} steps ahead, probability {DEFAULT_PROBABILITY}\n",
        flush=True,
    )
    summaries = {}
    for name, method in METHODS.items():
        outcomes = [replay(trace, method) for trace in traces]
        summaries[name] = summarize(outcomes)
        if name == "service":
            print("| kind | crossings | half ahead | announced | false |\n|---|---|---|---|---|")
            for kind in dict.fromkeys(trace.kind for trace in traces):
                kind_outcomes = [
                    outcome
                    for trace, outcome in zip(traces, outcomes, strict=True)
                    if trace.kind == kind
                ]
                ahead = [steps for outcome in kind_outcomes for steps in outcome.ahead]
                early = sum(steps >= HORIZON / 2 for steps in ahead)
                reported = sum(steps > 0 for steps in ahead)
                false = sum(outcome.false_announcements for outcome in kind_outcomes)
                print(f"| {kind} | {len(ahead)} | {early} | {reported} | {false} |")
            print()
    print("| method | half ahead | announced | false per series and year | Brier |")
    print("|---|---|---|---|---|")
    for name, summary in summaries.items():
        print(
            f"| {name} | {100 * summary.early:.0f} % | {100 * summary.announced:.0f} % "
            f"| {summary.false_per_year:.2f} | {summary.brier:.4f} |"
        )
    print("\n| stated | happened | steps |\n|---|---|---|")
    for stated, happened, count in summaries["service"].reliability:
        print(f"| {100 * stated:.1f} % | {100 * happened:.1f} % | {count:,.0f} |")
    print(f"\n500 hourly series: {100 * measure_cost(traces[:24]):.2f} % of a core")


if __name__ == "__main__":
    main()
