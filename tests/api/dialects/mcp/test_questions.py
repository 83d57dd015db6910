"""Questions that people ask an assistant, with known answers, answered by what the tools return.

The steps of each are those that a model takes: a tool, what it reads in the text, a comparison. The
series are made so that the answer follows from how they are made.
"""

import csv
import datetime as dt
import math
from collections.abc import Callable
from typing import Any

import pytest

from tests.api.dialects.mcp.calls import text_of
from tests.support.api import Api
from tests.support.monitors import LEARNED, Monitor, noise_at_100, timestamp
from tests.support.series import airline_body, body_of, detection_body, with_a_season

QUICK = {"X-Model-Id": "forecast-model-2"}
FIRST = dt.datetime(2024, 1, 1)
DAYS = 56

Row = dict[str, str]
# The initial stock of a store, and its sales a day.
STOCKS = {"north": (900, 21.0), "south": (500, 8.0), "west": (700, 25.0)}
SPIKE, SHIFT = 40, 60
SPIKED = [value + (60 if n == SPIKE else 0) for n, value in enumerate(with_a_season(DAYS))]
SHIFTED = [value + (30 if n >= SHIFT else 0) for n, value in enumerate(with_a_season(100))]


def day(number: int) -> str:
    return (FIRST + dt.timedelta(days=number)).isoformat()


def days(values: list[float], horizon: int = 7) -> dict[str, Any]:
    return body_of([day(n) for n in range(len(values))], values, "Daily", horizon)


def sales(number: int) -> int:
    """Return daily sales that grow by two a day and are higher at weekends."""
    return 200 + 2 * number + (40 if number % 7 in (5, 6) else 0)


SALES = [sales(n) for n in range(DAYS)]


def table_of(text: str) -> list[Row]:
    """Return the table of a result."""
    return list(csv.DictReader(text.partition("\n\n")[2].splitlines()))


def forecast(caller: Api, body: dict[str, Any], **more: Any) -> list[Row]:
    return table_of(text_of(caller, "forecast", **body, **QUICK, **more))


def file_of(values: list[int], left_out: tuple[int, ...] = ()) -> str:
    kept = [n for n in range(len(values)) if n not in left_out]
    return "day,sales,visits\n" + "\n".join(f"{day(n)[:10]},{values[n]},{n + 5}" for n in kept)


def series_in_the_file(caller: Api) -> object:
    return text_of(caller, "read_table", table=file_of(SALES[:14])).split(" series read")[0]


def sold_on_a_day(caller: Api) -> object:
    rows = table_of(text_of(caller, "read_table", table=file_of(SALES[:14])))
    return next(r["value"] for r in rows if (r["series"], r["timestamp"]) == ("sales", day(8)))


def missing_days(caller: Api) -> object:
    text = text_of(caller, "read_table", table=file_of(SALES, (20, 33)))
    facts = next(line for line in text.splitlines() if line.startswith("sales: "))
    return facts.rpartition(", ")[2]


def visits_in_all(caller: Api) -> object:
    rows = table_of(text_of(caller, "read_table", table=file_of(SALES[:14])))
    return sum(float(row["value"]) for row in rows if row["series"] == "visits")


def last_day_of_the_week(caller: Api) -> object:
    return float(forecast(caller, days(SALES))[-1]["median"])


def tomorrow(caller: Api) -> object:
    return float(forecast(caller, days(SALES, 1))[0]["median"])


def sum_of_the_rows(caller: Api) -> object:
    return sum(float(row["median"]) for row in forecast(caller, days(SALES)))


def below_two_hundred(caller: Api) -> object:
    return any(float(row["lower_bound"]) < 200 for row in forecast(caller, days(SALES)))


def narrower_at_80_percent(caller: Api) -> object:
    def width(confidence: float) -> float:
        row = forecast(caller, days(SPIKED) | {"confidence": confidence})[0]
        return float(row["upper_bound"]) - float(row["lower_bound"])

    return width(0.8) < width(0.95)


def runs_out_first(caller: Api) -> object:
    def last_stocked_day(start: int, sold: float) -> str:
        left = [start - sold * n for n in range(24)]
        rows = forecast(caller, days(left, 60))
        empty = [row["forecast_timestamps"] for row in rows if float(row["median"]) <= 0]
        return min(empty, default=day(10_000))

    return min(STOCKS, key=lambda store: last_stocked_day(*STOCKS[store]))


def disk_is_full(caller: Api) -> object:
    used = [40 + 0.75 * n for n in range(60)]
    rows = forecast(caller, days(used, 40))
    return next(row["forecast_timestamps"] for row in rows if float(row["median"]) >= 100)


def strongest_month(caller: Api) -> object:
    rows = forecast(caller, airline_body())
    return max(rows, key=lambda row: float(row["median"]))["forecast_timestamps"][:7]


def last_day_is_unusual(values: list[float]) -> Callable[[Api], object]:
    def judge_last_day(caller: Api) -> object:
        text = text_of(caller, "detect_anomalies", **detection_body(days(values), detect="last"))
        last = next(line for line in text.splitlines() if line.startswith("Last point"))
        return last.rpartition(": ")[2]

    return judge_last_day


def day_of_spike(caller: Api) -> Row:
    text = text_of(caller, "detect_anomalies", **detection_body(days(SPIKED)))
    return max(table_of(text), key=lambda row: float(row["severity"]))


def day_of_the_spike(caller: Api) -> object:
    return day_of_spike(caller)["timestamp"]


def size_of_the_spike(caller: Api) -> object:
    return float(day_of_spike(caller)["value"]) - float(day_of_spike(caller)["expected"])


def change_of_level(caller: Api) -> tuple[str, float]:
    text = text_of(caller, "detect_anomalies", **detection_body(days(SHIFTED)))
    line = next(line for line in text.splitlines() if line.startswith("Change point"))
    when, _, levels = line.removeprefix("Change point ").partition(": level ")
    before, _, after = levels.rstrip(".").partition(" to ")
    return when, float(after) - float(before)


def best_model(caller: Api) -> object:
    rows = table_of(text_of(caller, "backtest", **airline_body()))
    ranked = [row["model_id"] for row in rows if row["model_id"] != "seasonal_naive"]
    return ranked[0] == caller.backtest(airline_body()).get_json()["best_model"]


def beats_last_year(caller: Api) -> object:
    rows = {row["model_id"]: row for row in table_of(text_of(caller, "backtest", **airline_body()))}
    return float(rows["forecast-model-1"]["mae"]) < float(rows["seasonal_naive"]["mae"])


def mean_error_of_last_week_again(caller: Api) -> object:
    body = days(SALES) | {"models": ["forecast-model-2"], "windows": 3}
    rows = {row["model_id"]: row for row in table_of(text_of(caller, "backtest", **body))}
    return float(rows["seasonal_naive"]["mae"])


def watched_monitor(caller: Api) -> Monitor:
    Monitor.create(caller).append(noise_at_100(LEARNED + 20))
    troubled = Monitor.create(caller)
    troubled.append([*noise_at_100(LEARNED + 20), 400])
    return troubled


def anomalous_monitors(caller: Api) -> object:
    name = watched_monitor(caller).name
    rows = table_of(text_of(caller, "list_monitors"))
    return [row["name"] for row in rows if "anomalous" in row["states"]] == [name]


def newest_event(caller: Api) -> object:
    name = watched_monitor(caller).name
    (row,) = table_of(text_of(caller, "monitor_events", name=name, order="desc", limit=1))
    return row["kind"], row["start"], row["end"]


def newest_value(caller: Api) -> object:
    name = watched_monitor(caller).name
    rows = {row["name"]: row for row in table_of(text_of(caller, "list_monitors"))}
    return rows[name]["value"]


def approximately(number: float, share: float = 0.03) -> object:
    return pytest.approx(number, rel=share)


NEXT_WEEK = sum(sales(n) for n in range(DAYS, DAYS + 7))
QUESTIONS: dict[str, tuple[Callable[[Api], object], object]] = {
    "How many series are in this file?": (series_in_the_file, "2"),
    "How much did we sell on 9 January?": (sold_on_a_day, str(sales(8))),
    "Which days are missing?": (missing_days, "2 missing."),
    "How many visits in these two weeks?": (visits_in_all, sum(n + 5 for n in range(14))),
    "How much will we sell next week?": (sum_of_the_rows, approximately(NEXT_WEEK)),
    "And on its last day?": (last_day_of_the_week, approximately(sales(DAYS + 6))),
    "How much tomorrow?": (tomorrow, approximately(sales(DAYS))),
    "Could a day next week fall below 200?": (below_two_hundred, False),
    "Is the range narrower if 80 % are enough?": (narrower_at_80_percent, True),
    "Which of these stores will run out first?": (runs_out_first, "west"),
    "When will the disk be full?": (disk_is_full, day(math.ceil((100 - 40) / 0.75))),
    "Which month of next year will be the strongest?": (strongest_month, "1961-07"),
    "Was yesterday unusual (it was)?": (last_day_is_unusual([*SPIKED, 160.0]), "flagged."),
    "Was yesterday unusual (it was not)?": (last_day_is_unusual(SPIKED), "not flagged."),
    "When was the spike?": (day_of_the_spike, day(SPIKE)),
    "How large was it?": (size_of_the_spike, approximately(60, 0.1)),
    "Since when is the level higher?": (lambda c: change_of_level(c)[0], day(SHIFT)[:10]),
    "By how much?": (lambda c: change_of_level(c)[1], approximately(30, 0.1)),
    "Which model is the best for passengers?": (best_model, True),
    "Does it beat last year's numbers?": (beats_last_year, True),
    "How far off is 'as last week'?": (mean_error_of_last_week_again, approximately(14)),
    "Is a monitor anomalous now, and which?": (anomalous_monitors, True),
    "What happened to it last?": (newest_event, ("spike", timestamp(LEARNED + 20), "")),
    "What is its newest value?": (newest_value, "400"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_not_answered_with_a_wrong_number(isolated_api: Api, question: str) -> None:
    find_answer, known = QUESTIONS[question]
    assert find_answer(isolated_api) == known
