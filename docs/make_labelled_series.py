"""Make the playground's labelled series: ``.venv/bin/python docs/make_labelled_series.py``.

Five weeks of an invented service's requests a minute, hour by hour: a day and a week that recur,
noise that grows with the level, and five things that happened, each listed in ``STORY``. The same
rows come out every time.
"""

import csv
import math
import random
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

FILE = (
    Path(__file__).resolve().parents[1] / "app/web/pages/static/sample-series/labelled-requests.csv"
)
START = datetime(2026, 3, 2)  # a Monday
DAYS = 35
SEED = 13
NOISE = 0.03  # of the level
WEEKEND = 0.7

Hours = tuple[datetime, int]
"""When something begins and how many hours it lasts."""
STORY: dict[str, Hours] = {
    "spike": (datetime(2026, 3, 10, 14), 1),
    "dip": (datetime(2026, 3, 17, 9), 2),
    "burst": (datetime(2026, 3, 20, 10), 8),
    "stuck": (datetime(2026, 3, 24, 11), 12),
    "level shift": (datetime(2026, 3, 27, 0), DAYS * 24),
}


def rows() -> Iterator[tuple[str, int]]:
    """Give a timestamp and a value for each hour."""
    noise = random.Random(SEED)
    stuck_at: int | None = None
    for hour in range(DAYS * 24):
        moment = START + timedelta(hours=hour)
        day = 1 + 0.45 * math.sin(2 * math.pi * (moment.hour - 8) / 24)
        level = 900 * day * (WEEKEND if moment.weekday() >= 5 else 1)
        value = level * (1 + noise.gauss(0, NOISE))
        value += 700 * _during("spike", moment) - 500 * _during("dip", moment)
        value *= 1 + _during("burst", moment) * noise.choice((-1, 1)) * noise.uniform(0.2, 0.4)
        value += 260 * _during("level shift", moment)
        stuck_at = (stuck_at or round(value)) if _during("stuck", moment) else None
        yield moment.isoformat(), stuck_at or round(value)


def _during(name: str, moment: datetime) -> bool:
    start, hours = STORY[name]
    return start <= moment < start + timedelta(hours=hours)


def main(path: Path) -> None:
    """Write the series as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["timestamp", "requests_per_minute"])
        writer.writerows(rows())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
