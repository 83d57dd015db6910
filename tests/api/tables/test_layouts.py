"""POST /tables/forecast returns the layout of the table, in every format."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.api.tables.calls import JSON, XLSX, forecast, panel, rows_of, sheet_of
from tests.support.api import Api

MONTHS = [f"{year}-{month:02}" for year in (2022, 2023) for month in range(1, 13)]
WIDE = "\n".join(["Month,A,B", *(f"{month},{10 + i},{30 + i}" for i, month in enumerate(MONTHS))])
ACROSS = "\n".join(
    [
        f"Shop,{','.join(MONTHS)}",
        *(f"{shop},{','.join(str(10 + i) for i in range(24))}" for shop in "AB"),
    ]
)
LONG = "\n".join(
    [
        "Shop,Month,Sales",
        *(f"{shop},{month},{10 + i}" for shop in "AB" for i, month in enumerate(MONTHS)),
    ]
)
WIDE_HEADER = [
    "Month",
    *(name for shop in "AB" for name in (shop, f"{shop}_lower_bound", f"{shop}_upper_bound")),
]


@pytest.mark.parametrize(
    ("table", "header", "first", "rows"),
    [
        (WIDE, WIDE_HEADER, ["2024-01"], 3),
        (LONG, ["Shop", "Month", "Sales", "lower_bound", "upper_bound"], ["A", "2024-01"], 6),
        (ACROSS, ["Shop", "date", "value", "lower_bound", "upper_bound"], ["A", "2024-01"], 6),
    ],
    ids=["wide", "long", "months side by side"],
)
def test_csv_workbooks_and_json_have_the_same_layout(
    api: Api, table: str, header: list[str], first: list[str], rows: int
) -> None:
    written = rows_of(forecast(api, table))
    sheet = sheet_of(forecast(api, table, accept=XLSX))
    assert written[0] == sheet[0] == header
    assert len(written) == len(sheet) == 1 + rows
    assert written[1][: len(first)] == first
    series = forecast(api, table, accept=JSON).get_json()["series"]
    assert [(entry["name"], entry["forecast_timestamps"][0]) for entry in series] == [
        (shop, "2024-01-01T00:00:00") for shop in "AB"
    ]


def test_a_long_table_of_one_series_stays_long_on_request(api: Api) -> None:
    header, first, *_ = rows_of(forecast(api, panel(1), "layout=long"))
    assert header == ["shop", "month", "sales", "lower_bound", "upper_bound"]
    assert first[:2] == ["s0", "2021-01-01"]


def test_hours_of_an_answered_time_zone_come_back_by_its_clock(api: Api) -> None:
    zone = ZoneInfo("Europe/Zurich")
    first = datetime(2024, 10, 25, tzinfo=zone).astimezone(UTC)
    hours = [(first + timedelta(hours=i)).astimezone(zone) for i in range(60)]
    lines = [f"{hour:%d.%m.%Y %H:%M};{10 + hour.hour},5" for hour in hours]
    query = "timezone=Europe/Zurich&history=true"
    written = rows_of(forecast(api, "\n".join(["Zeit;kWh", *lines]), query), ";")
    assert [row[0] for row in written[1:61]] == [line.partition(";")[0] for line in lines]
    assert [row[0] for row in written[61:]] == [f"27.10.2024 {11 + i}:00" for i in range(3)]
    sheet = sheet_of(forecast(api, "\n".join(["Zeit;kWh", *lines]), query, accept=XLSX))
    assert sheet[2][0] == datetime(2024, 10, 25, 1)
    assert sheet[-1][0] == datetime(2024, 10, 27, 13)


def test_forecasts_of_numbers_such_as_15_190_have_a_decimal_comma(
    api: Api,
) -> None:
    lines = [f"{month:02}/2024\t{15 + month} {100 + 37 * month % 90}" for month in range(1, 13)]
    answer = forecast(api, "\n".join(["mois\tventes", *lines]))
    _, *rows = rows_of(answer, "\t")
    numbers = " ".join(cell for row in rows for cell in row[1:])
    assert "," in numbers
    assert "." not in numbers


def test_forecasts_of_a_paste_use_the_decimal_points_of_its_other_columns(api: Api) -> None:
    lines = [f"{month:02}/2024\t{15 + month} 190\t{month}.5" for month in range(1, 13)]
    answer = forecast(api, "\n".join(["mois\tventes\tprix", *lines]))
    _, *rows = rows_of(answer, "\t")
    assert not any("," in cell for row in rows for cell in row), rows
