"""How long forecasts wait and how many are rejected: ``python -m benchmarks.queueing 27 2``.

The first number is how many forecasts a second a node does with all engines busy
(``benchmarks.capacity``), the second how many engines it has. Arrivals are independent of each
other (Poisson), service times vary as much as an exponential distribution: M/M/c/K, where K is the
engines and what may wait for them, by number and by time. Requests of one kind vary less and wait
about half as long.
"""

import argparse
from dataclasses import dataclass

LOADS = (0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.5, 10.0)
MAX_QUEUED, MAX_WAIT_SECONDS = 256, 5  # the defaults of FORECAST_QUEUE and FORECAST_WAIT_SECONDS


@dataclass(frozen=True)
class Queue:
    """The fraction of forecasts that are rejected, and the mean wait of the others in seconds."""

    rejected_fraction: float
    wait_seconds: float


def steady_state(arrivals: float, service_rate: float, engines: int, waiting: int) -> Queue:
    """Return the steady state of M/M/c/K.

    Args:
        arrivals: Forecasts that arrive a second.
        service_rate: Forecasts a second of one engine.
        engines: The number c of engines.
        waiting: How many may wait; K is ``engines`` and these.
    """
    weights = [1.0]  # one per number of forecasts in the node; that of none is 1
    for number in range(1, engines + waiting + 1):
        weights.append(weights[-1] * arrivals / (service_rate * min(number, engines)))
    total = sum(weights)
    rejected = weights[-1] / total
    in_line = sum(max(0, n - engines) * weight for n, weight in enumerate(weights)) / total
    return Queue(rejected, in_line / (arrivals * (1 - rejected)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rate", type=float, help="forecasts a second of the node")
    parser.add_argument("engines", type=int)
    parser.add_argument("--queue", type=int, default=MAX_QUEUED, help="FORECAST_QUEUE")
    parser.add_argument(
        "--seconds", type=float, default=MAX_WAIT_SECONDS, help="FORECAST_WAIT_SECONDS"
    )
    options = parser.parse_args()
    waiting = min(options.queue, round(options.seconds * options.rate))
    print("| load | forecasts a second | mean wait, ms | with the forecast, ms | rejected |")
    print("|---|---|---|---|---|")
    for load in LOADS:
        arrivals = load * options.rate
        service_rate = options.rate / options.engines
        queued = steady_state(arrivals, service_rate, options.engines, waiting)
        print(
            f"| {load:.0%} | {arrivals:.1f} | {queued.wait_seconds * 1000:.0f} | "
            f"{(queued.wait_seconds + 1 / service_rate) * 1000:.0f} | "
            f"{queued.rejected_fraction:.2%} |"
        )


if __name__ == "__main__":
    main()
