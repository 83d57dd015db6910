"""Compare the throughput of the client for many series with that of a bare load generator.

``make bench-client`` starts the service on loopback and sends the same monthly series in turn by
``client.forecast``, from a DataFrame to results, and by threads of httpx that post prepared bytes
and ignore the responses. The rounds alternate, in case the speed of the machine drifts. The
milliseconds are the CPU time of the sender for each series. The DataFrame of all results is timed
separately.
"""

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "clients/python/src")]

import httpx
import numpy as np
import pandas as pd

from forecast_client import ForecastClient, calls, prepare
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.server import run_server

POINTS, HORIZON, CONCURRENCY = 60, 12, 8
TARGET = 0.85


def sample_frame(series: int) -> pd.DataFrame:
    """Return ``series`` monthly series of ``POINTS`` points as a long DataFrame."""
    rng = np.random.default_rng(1)
    months = pd.date_range("2020-01-01", periods=POINTS, freq="MS")
    season = 10 * np.sin(np.arange(POINTS) * math.tau / 12)
    values = 100 + season + rng.normal(0, 3, (series, POINTS))
    return pd.DataFrame(
        {
            "id": np.repeat(np.arange(series), POINTS),
            "month": np.tile(months, series),
            "value": values.ravel(),
        }
    )


@dataclass(frozen=True)
class Cost:
    """The wall time and the CPU time of some work."""

    seconds: float
    cpu_seconds: float

    @classmethod
    def of(cls, work: Callable[[], object]) -> "Cost":
        """Measure ``work``."""
        began, cpu_began = time.perf_counter(), time.process_time()
        work()
        return cls(time.perf_counter() - began, time.process_time() - cpu_began)

    def formatted(self, series: int) -> str:
        """Return it as it is printed: a rate, and milliseconds of a CPU for each series."""
        return f"{series / self.seconds:6.0f}/s ({self.cpu_seconds / series * 1000:.2f} ms)"


def bare_generator(url: str, key: str, frame: pd.DataFrame, model: int) -> Callable[[], None]:
    """Return a function that posts each series of ``frame`` once, as prepared bytes."""
    made = [
        calls.forecast(prepare(group.drop(columns="id")), HORIZON, model=model)
        for _, group in frame.groupby("id")
    ]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    headers |= made[0].headers
    bodies = [call.content for call in made]

    def work() -> None:
        with (
            httpx.Client(headers=headers, timeout=60) as client,
            ThreadPoolExecutor(CONCURRENCY) as pool,
        ):
            responses = pool.map(lambda body: client.post(f"{url}/forecast", content=body), bodies)
            assert {response.status_code for response in responses} == {200}

    return work


def measure(url: str, key: str, frame: pd.DataFrame, model: int, rounds: int) -> float:
    """Print the rates of all rounds; return the client's rate relative to the bare generator's."""
    series = frame["id"].nunique()
    generator = bare_generator(url, key, frame, model)
    shares, results = [], []

    def through_the_client() -> None:
        # New connections in each round, as of the bare generator: the kernel distributes them among
        # the workers of the service, and not always evenly.
        with ForecastClient(url, key) as client:
            results.append(client.forecast(frame, HORIZON, model=model, id_column="id"))

    generator()  # warms the service up
    for number in range(rounds):
        senders = {"client": through_the_client, "bare": generator}
        order = ["client", "bare"] if number % 2 else ["bare", "client"]
        took = {name: Cost.of(senders[name]) for name in order}
        many = results.pop()
        assert len(many) == series
        framing = Cost.of(lambda many=many: many.frame)
        shares.append(took["bare"].seconds / took["client"].seconds)
        print(
            f"client {took['client'].formatted(series)}   bare {took['bare'].formatted(series)}   "
            f"share {shares[-1]:.0%}   .frame {framing.seconds:.2f} s"
        )
    return statistics.median(shares)


def main() -> None:
    """Measure, and print the median share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--model", type=int, default=2, help="2 is the quickest, so the hardest")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with run_server(folder, SqliteDatabases(folder).migrated(), WEB_CONCURRENCY="2") as server:
            key = new_key(server.environ["DATABASE_URL"])
            share = measure(
                server.url, key, sample_frame(options.series), options.model, options.rounds
            )
    print(f"median share {share:.0%}, wanted {TARGET:.0%}")


if __name__ == "__main__":
    main()
