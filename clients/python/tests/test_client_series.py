"""Data of any kind become a series, or an error that says what is wrong, where, and what to do."""

import datetime as dt
import decimal
import math
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from forecast_client import DataError, prepare
from forecast_client.preparing import points

DAYS = [dt.date(2024, 1, day) for day in range(1, 13)]
SENT_TIMES = [f"2024-01-{day:02}T00:00:00" for day in range(1, 13)]
VALUES = [float(value) for value in range(12)]
INDEX = pd.DatetimeIndex(DAYS)
BERLIN = ZoneInfo("Europe/Berlin")
KINDS: dict[str, Any] = {
    "dates": (DAYS, VALUES),
    "datetimes": ([dt.datetime(2024, 1, day) for day in range(1, 13)], VALUES),
    "strings of days": ([str(day) for day in DAYS], VALUES),
    "strings of the service": (SENT_TIMES, VALUES),
    "numpy arrays": (INDEX.to_numpy(), np.arange(12)),
    "index and array": (INDEX, np.arange(12)),
    "timestamps": (list(INDEX), VALUES),
    "decimals": (DAYS, [decimal.Decimal(value) for value in range(12)]),
    "Series": pd.Series(VALUES, index=INDEX),
    "Series of integers": pd.Series(range(12), index=INDEX),
    "Series of nullable integers": pd.Series(range(12), index=INDEX, dtype="Int64"),
    "Series of objects": pd.Series(range(12), index=INDEX, dtype=object),
    "Series of strings": pd.Series([str(value) for value in VALUES], index=INDEX),
    "Series on strings": pd.Series(VALUES, index=SENT_TIMES),
    "frame with an index": pd.DataFrame({"sales": VALUES}, index=INDEX),
    "frame with a column": pd.DataFrame({"when": INDEX, "shop": ["x"] * 12, "sales": VALUES}),
    "frame of strings": pd.DataFrame({"date": SENT_TIMES, "sales": VALUES}),
    "frame of periods": pd.DataFrame({"p": INDEX.to_period("D"), "sales": VALUES}),
    "PeriodIndex": pd.Series(VALUES, index=INDEX.to_period("D")),
}


def months(count: int = 12) -> pd.Series:
    index = pd.date_range("2024-01-01", periods=count, freq="MS")
    return pd.Series(np.arange(float(count)), index=index)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_is_the_same_series(kind: str) -> None:
    prepared = prepare(KINDS[kind])
    assert list(prepared.timestamps) == SENT_TIMES
    assert list(prepared.values) == VALUES
    assert {type(value) for value in prepared.values} == {float}
    assert (prepared.frequency, prepared.step, prepared.notes) == ("Daily", 1, ())


def test_a_prepared_series_goes_through() -> None:
    prepared = prepare(months())
    assert prepare(prepared) is prepared


def test_names_come_from_the_data() -> None:
    assert prepare(months().rename("sales")).name == "sales"
    assert prepare(pd.DataFrame({"day": DAYS, "sold": VALUES})).name == "sold"
    index = months().index.rename("month")
    assert prepare(pd.Series(VALUES, index=index)).index(SENT_TIMES).name == "month"


def test_columns_are_chosen_by_name() -> None:
    frame = pd.DataFrame({"paid": DAYS, "sent": DAYS[::-1], "net": VALUES, "gross": VALUES})
    with pytest.raises(DataError, match=r"^time_column: several .* of 'paid', 'sent'"):
        prepare(frame)
    with pytest.raises(DataError, match=r"^value_column: several .* of 'net', 'gross'"):
        prepare(frame, time_column="paid")
    assert prepare(frame, time_column="paid", value_column="net").name == "net"
    with pytest.raises(DataError, match=r"^value_column: there is no column 'nett', only 'sent'"):
        prepare(frame, time_column="paid", value_column="nett")


def test_unsorted_points_are_sorted_with_a_note() -> None:
    prepared = prepare(months().iloc[::-1])
    assert list(prepared.values) == VALUES
    assert prepared.notes == ("the points were sorted by time",)


@pytest.mark.parametrize(("how", "value"), [("sum", 7.0), ("mean", 3.5), ("last", 5.0)])
def test_duplicates_are_rejected_without_a_choice(how: Any, value: float) -> None:
    twice = pd.concat([months(), pd.Series([5.0], index=months().index[2:3])])
    with pytest.raises(DataError, match=r"2024-03-01.* has several values: .*duplicates=\"sum\""):
        prepare(twice)
    prepared = prepare(twice, duplicates=how)
    assert prepared.values[2] == value
    assert f"1 timestamp with several values: {how} taken" in prepared.notes
    assert len(prepared.values) == 12


DEFECTS: dict[str, tuple[Any, str]] = {
    "empty frame": (pd.DataFrame(), "series is empty"),
    "frame without rows": (pd.DataFrame({"ds": [], "y": []}), "empty"),
    "empty series": (months().iloc[:0], "series is empty: send at least 10"),
    "empty list": ([], "a list is not a series"),
    "one point": (months().iloc[:1], "one point, 2024-01-01.*at least 10"),
    "a word": (months().astype(object).replace(3.0, "n/a"), "string 'n/a' at position 3"),
    "booleans": (months() > 3, r"bool is not a number.*astype\(int\)"),
    "infinite": (months().replace(4.0, math.inf), "position 4 is infinite"),
    "infinite in a list": ((DAYS, [math.inf, *VALUES[1:]]), "position 0 is infinite"),
    "complex": (months().astype(complex), "complex128 is not a number"),
    "numbers as index": (months().reset_index(drop=True), "timestamps: numbers are not times"),
    "no time": (months().set_axis([pd.NaT, *months().index[1:]]), "position 0 has no timestamp"),
    "other dates": (
        ([f"{day}/1/2024" for day in range(1, 13)], VALUES),
        r"position 0, '1/1/2024', is not a time in ISO 8601",
    ),
    "epochs": ((range(12), VALUES), "timestamps: numbers are not times: .*pd.to_datetime"),
    "epochs among strings": ((["2024-01-01", 1, None] * 4, VALUES), "numbers are not times"),
    "lists as times": (([[1]] * 12, VALUES), r"position 0, \[1\], is not a time"),
    "fractions": (months().shift(freq="1ms"), "fraction of a second.*round"),
    "lengths": ((DAYS, VALUES[1:]), "12 timestamps and 11 values"),
    "no timestamps": (VALUES, "a list is not a series: send a pandas Series"),
    "a string": ("data.csv", "a str is not a series: send a pandas Series"),
    "a number": (7, "a int is not a series"),
    "all missing": (months() * math.nan, "no point has a value"),
    "far apart": (
        pd.concat([months(), pd.Series([1.0], index=[pd.Timestamp("2824-01-01")])]),
        "9,588 of 9,601 points are missing.*look for a wrong timestamp",
    ),
}
DEFECTS["several levels"] = (
    pd.Series(VALUES, pd.MultiIndex.from_product([["a"], DAYS])),
    r"several levels.*client.many",
)


@pytest.mark.parametrize("defect", DEFECTS)
def test_unusable_data_is_rejected_with_advice(defect: str) -> None:
    data, message = DEFECTS[defect]
    with pytest.raises(DataError, match=message):
        prepare(data)


@pytest.mark.parametrize(
    "second", [dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 2, tzinfo=ZoneInfo("Asia/Tokyo"))]
)
def test_mixed_time_zones_are_rejected(second: dt.datetime) -> None:
    times = [dt.datetime(2024, 1, 1, tzinfo=BERLIN), second]
    with pytest.raises(DataError, match="the time zones are mixed: convert all to one"):
        prepare((times, [1, 2]))


def test_unknown_choices_are_rejected() -> None:
    for options in ({"fill": "spline"}, {"duplicates": "max"}):
        with pytest.raises(
            DataError, match=r"unknown '(spline|max)': send (linear|sum), "
        ) as raised:
            prepare(pd.concat([months(), months()]), **options)  # type: ignore[arg-type]
        assert [raised.value.argument] == list(options)


def test_plain_datetimes_of_a_zone_come_back_in_it() -> None:
    days = [dt.datetime(2024, 3, day, tzinfo=BERLIN) for day in range(20, 32)]
    prepared = prepare((days, VALUES))
    assert prepared.timestamps[0] == "2024-03-20T00:00:00+01:00"
    assert prepared.timestamps[-1] == "2024-03-31T00:00:00+01:00"
    april = dt.datetime(2024, 4, 1, tzinfo=BERLIN)
    assert prepared.index(["2024-04-01T00:00:00+01:00"])[0] == april
    assert prepared.index(prepared.timestamps).to_list() == days


def test_points_of_a_monitor_are_sent_as_its_history_was() -> None:
    index = pd.date_range("2024-03-20", periods=20, freq="D", tz="Europe/Berlin")
    history = prepare(pd.Series(range(20), index=index))
    single = pd.Series([1.0], index=index[-1:])
    assert points(single, frequency="Daily") == (list(history.timestamps[-1:]), [1.0])
    with pytest.raises(DataError, match=r"changes its clocks.*frequency=\"Daily\""):
        points(single)
    assert points(single, frequency="Hours")[0] == ["2024-04-07T22:00:00Z"]
    assert points(single.tz_convert("UTC")) == (["2024-04-07T22:00:00Z"], [1.0])
    with pytest.raises(DataError, match="has no value: leave it out"):
        points((DAYS[:1], [math.nan]))
