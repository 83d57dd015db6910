"""POST /tables/forecast and POST /read treat a running balance alike."""

import datetime as dt

import pytest

from tests.api.tables.calls import CSV, JSON, forecast
from tests.support.api import Api


@pytest.mark.parametrize(
    ("closed", "query", "expected", "code"),
    [
        ((), "duplicates=sum", [4995, 4994, 4997, 4997], "duplicates"),
        ((1, 2, 5), "per=day-total", [4995, 4995, 4995, 4994], "per"),
    ],
)
def test_a_running_balance_is_forecast_from_what_reading_returns(
    api: Api, closed: tuple[int, ...], query: str, expected: list[int], code: str
) -> None:
    rows, balance = [], 5000
    for i, day in enumerate(day for day in range(42) if day % 10 not in closed):
        for change in ((2 * i) % 7 - 3, (2 * i + 1) % 7 - 3):
            balance += change
            rows.append(f"{dt.date(2024, 1, 1) + dt.timedelta(day)},{change},{balance}")
    table = "\n".join(["Date,Amount,Balance", *rows[::-1]])
    read = api.request("POST", f"/read?{query}", table.encode(), Content_Type=CSV).get_json()
    sent = forecast(api, table, f"history=true&{query}", accept=JSON).get_json()
    assert [s["values"] for s in read["series"]] == [s["history"]["values"] for s in sent["series"]]
    assert read["series"][1]["values"][:4] == expected
    assert [r["code"] for r in sent["remarks"]] == ["reversed", code, "running_balance"]
