"""Medians do not add up: the example of docs/using/tables.md."""

import numpy as np

from tests.api.tables.calls import JSON
from tests.support.api import Api
from tests.support.server import ROOT

STORES, MONTHS = 10, 60


def stores() -> str:
    """Return ten log-normal stores."""
    noise = np.random.default_rng(2).normal(np.log(500), 0.6, (MONTHS, STORES))
    header = ",".join(["month", *(f"store {n}" for n in range(STORES))])
    rows = [
        f"{2020 + month // 12}-{month % 12 + 1:02}-01," + ",".join(f"{x:.1f}" for x in sales)
        for month, sales in enumerate(np.exp(noise))
    ]
    return "\n".join([header, *rows])


def test_the_figures_of_the_page_are_those_of_the_service(api: Api) -> None:
    query = "horizon=1&sum=true&model=forecast-model-1"
    path = f"/tables/forecast?{query}"
    headers = {"Content_Type": "text/csv", "Accept": JSON}
    *all_stores, total = api.request("POST", path, stores().encode(), **headers).get_json()[
        "series"
    ]
    assert total["name"] == "all"
    page = " ".join((ROOT / "docs" / "using" / "tables.md").read_text().split())
    for name in ("median", "lower_bound", "upper_bound"):
        added = sum(store[name][0] for store in all_stores)
        assert f"{added:,.0f}" in page
        assert f"{total[name][0]:,.0f}" in page
