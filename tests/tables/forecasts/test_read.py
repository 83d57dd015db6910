"""Which series of a table can be forecast."""

from app.tables.forecasts.read import read_to_forecast
from app.tables.forecasts.types import TableToForecast
from app.tables.results import Answers, Fill
from tests.tables.tables import BOUNDS

WEEKS = ("01-01", "01-02", "01-03", "01-05", "01-06", "01-08", "01-09", "01-10", "01-11")


def test_values_that_were_filled_do_not_count_towards_the_least() -> None:
    rows = "\n".join(["day,n", *(f"2024-{day},{i}" for i, day in enumerate(WEEKS))])
    table = read_to_forecast(rows.encode(), Answers(fill=Fill.LINEAR), BOUNDS, has_sum=False)
    assert isinstance(table, TableToForecast)
    assert [series.problem for series in table.series] == [
        "has 9 points, the others are filled in: send 10 or more"
    ]
