"""JSON as a table: its forms, and its bounds."""

import json
import time
import tracemalloc
from collections.abc import Callable

import pytest

from app.tables.answers import Answers
from app.tables.errors import UnreadableTableError
from app.tables.json.document import MAX_JSON_VALUES, read_json
from app.tables.json.json_stat import MAX_VALUES
from app.tables.reading import Reading
from app.tables.table import Table
from tests.tables.tables import BOUNDS, notes_of, read_bytes, read_text

DAYS = [f"2024-01-{day:02}" for day in range(1, 13)]
RECORDS = [{"day": day, "n": n} for n, day in enumerate(DAYS)]


def table_of(text: str) -> Table:
    return read_json(text, Reading(Answers(), BOUNDS))


@pytest.mark.parametrize(
    "content",
    [
        RECORDS,
        {"meta": {"pages": 1}, "data": RECORDS},
        {"day": DAYS, "n": [*range(12)]},
        [["day", "n"], *([day, n] for n, day in enumerate(DAYS))],
        {"columns": ["day", "n"], "index": [0], "data": [[day, n] for n, day in enumerate(DAYS)]},
        [{"day": day, "n": n, "tags": ["a"], "note": None} for n, day in enumerate(DAYS)],
    ],
)
def test_each_form_of_json_is_read(content: object) -> None:
    [series] = read_bytes(json.dumps(content).encode()).series
    assert (series.name, series.values) == ("n", [*range(12)])
    assert series.timestamps[0] == "2024-01-01T00:00:00"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"day":["2024-01-01","2024-01-02"],"n":[1,Infinity]}', "line 1, column 43"),
        ('[{"day":"2024-01-01","n":1},\n{"day":"2024-01-02","n":NaN}]', "line 2, column 25"),
        ('[{"a": 1', "line 1, column 9"),
        ('{"day":"2024-01-01","n":1}\n{"day":"2024-01-02","n":NaN}\n', "line 2, column 25"),
    ],
)
def test_broken_json_is_rejected_and_not_split_at_its_commas(text: str, place: str) -> None:
    """Or a piece of the JSON is read as a series."""
    with pytest.raises(UnreadableTableError, match=f"{place} is not valid JSON"):
        read_text(text)


def test_numbers_of_json_leave_no_mark_open() -> None:
    records = [{"day": day, "n": 1.48 + n} for n, day in enumerate(DAYS)]
    reading = read_bytes(json.dumps(records).encode())
    assert reading.questions == []


@pytest.mark.parametrize(
    ("make_text", "why"),
    [
        (lambda: "[" + "1," * MAX_JSON_VALUES + "1]", "the JSON has 1,200,00"),
        (lambda: '[{"a": 1}' + ', {"a": 1}' * 600_000 + "]", "send at most 1,200,000"),
        (lambda: json.dumps([{str(i): 1} for i in range(5_001)]), "more than 5,000 fields"),
        (lambda: json.dumps([[*range(5_001)]]), "has 5,001 columns"),
        (lambda: '{"a": ' * 500 + "1" + "}" * 500, "has no table"),
    ],
)
def test_json_beyond_the_bounds_is_rejected(make_text: Callable[[], str], why: str) -> None:
    with pytest.raises(UnreadableTableError, match=why):
        table_of(make_text())


def _object(names: int) -> str:
    fields = ",".join(f'"{name:x}":1' for name in range(names))
    return f"{{{fields}}}"


@pytest.mark.parametrize(
    ("make_text", "why"),
    [
        (lambda: f'[{{"{"x" * 2_000_000}":{_object(4_900)}}}]', "name of 2,000,000 characters"),
        (lambda: f"[{_object(400_000)}]", "more than 5,000 fields"),
        (lambda: json.dumps([{str(n): 1} for n in range(300_000)]), "more than 5,000 fields"),
    ],
    ids=["a long name of many fields", "a record of many fields", "records of other fields"],
)
def test_fields_beyond_the_bounds_are_rejected_before_their_names_take_memory(
    make_text: Callable[[], str], why: str
) -> None:
    text = make_text()
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableTableError, match=why):
            table_of(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 150 * 2**20  # 65 to 110 are the parsed JSON


def test_only_the_cells_of_the_longest_of_many_json_tables_are_read() -> None:
    tables = ",".join(f'"{n}":[{_object(1_400)}{",{}" * 2_000}]' for n in range(200))
    started = time.process_time()
    table = table_of(f'{{{tables},"longest":[{_object(2)}{",{}" * 2_001}]}}')
    assert table is not None
    assert table.cells.shape == (2_003, 2)
    assert time.process_time() - started < 5.0  # 0.5 measured, a minute for the cells of all


def test_a_table_that_is_left_out_is_named() -> None:
    hours = {"time": [f"2024-01-01T{hour:02}:00" for hour in range(24)], "n": [*range(24)]}
    days = {"time": DAYS, "n": [*range(12)]}
    units = {"time": ["iso8601"], "n": ["mm"]}
    for blocks in ({"hourly": hours, "daily": days}, {"daily": days, "hourly": hours}):
        content = json.dumps({"units": units, "forecast": blocks}).encode()
        reading = read_bytes(content)
        assert [len(series.values) for series in reading.series] == [24]
        assert "Only “hourly” is read; left out: “daily”." in notes_of(reading)


def _pairs(first: int) -> list[list[object]]:
    return [[day, n + first] for n, day in enumerate(DAYS)]


@pytest.mark.parametrize(
    "content",
    [
        {"headers": ["day", "n"], "A": _pairs(0), "B": _pairs(100)},
        {"A": _pairs(0), "B": _pairs(100), "unit": "kg"},
        {"A": [["day", "n"], *_pairs(0)], "B": [["day", "n"], *_pairs(100)]},
        {"A": dict(_pairs(0)), "B": dict(_pairs(100)), "unit": "kg"},
        {"A": RECORDS, "B": [{"day": day, "n": n} for day, n in _pairs(100)], "series": 2},
        {"A": {"day": DAYS, "n": [*range(12)]}, "B": {"day": DAYS, "n": [*range(100, 112)]}},
    ],
)
def test_several_lists_of_the_same_columns_are_all_read(content: object) -> None:
    first, second = read_text(json.dumps(content)).series
    assert (first.name, second.name) == ("A", "B")
    assert (first.values, second.values) == ([*range(12)], [*range(100, 112)])


def test_a_short_list_that_is_left_out_is_named() -> None:
    content = {"sales": RECORDS[:8], "visits": [{"at": day, "count": 1} for day in DAYS[:6]]}
    assert "Only “sales” is read; left out: “visits”." in notes_of(read_text(json.dumps(content)))


@pytest.mark.parametrize("names", [("x", "y"), ("y", "x")])
def test_records_beside_columns_of_the_same_names_are_not_joined(names: tuple[str, str]) -> None:
    records, columns = names
    content = {records: RECORDS, columns: {"day": DAYS, "n": [*range(100, 112)]}}
    reading = read_text(json.dumps(dict(sorted(content.items()))))
    [series] = reading.series
    assert series.values in ([*range(12)], [*range(100, 112)])
    assert "left out" in notes_of(reading)


@pytest.mark.parametrize("text", ["[{}]", "[[],[]]", '{"x":[{},{}]}'])
def test_json_whose_rows_are_empty_is_rejected(text: str) -> None:
    with pytest.raises(UnreadableTableError, match="this JSON has no table"):
        read_text(text)


def _dataset(periods: list[str], values: object, **labels: str) -> dict[str, object]:
    return {
        "class": "dataset",
        "id": ["what", "region", "time"],
        "size": [1, 2, len(periods)],
        "dimension": {
            "what": {"category": {"label": {"a": "Cars"}}},
            "region": {"label": "Region", "category": {"index": {"s": 1, "n": 0}, "label": labels}},
            "time": {"category": {"index": periods}},
        },
        "value": values,
    }


def test_json_stat_is_read() -> None:
    periods = [f"{2022 + i // 12}M{i % 12 + 1:02}" for i in range(24)]
    content = _dataset(periods, [*range(48)], n="North", s="South")
    reading = read_bytes(json.dumps(content).encode())
    north, south = reading.series
    assert (north.name, south.name) == ("North", "South")
    assert (north.values, south.values) == ([*range(24)], [*range(24, 48)])
    assert north.timestamps[0] == "2022-01-01T00:00:00"
    assert reading.chosen.columns == ["Cars"]


def test_json_stat_with_few_values_is_read() -> None:
    periods = [f"2024-01-{day:02}" for day in range(1, 13)]
    values = {str(position): position for position in range(24) if position != 5}
    reading = read_bytes(json.dumps({"dataset": _dataset(periods, values)}).encode())
    assert [series.name for series in reading.series] == ["n", "s"]
    assert reading.series[0].missing == ["2024-01-06T00:00:00"]


def test_json_stat_has_a_bound() -> None:
    periods = [f"{i}" for i in range(MAX_VALUES)]
    with pytest.raises(UnreadableTableError, match="1,000,000 values"):
        read_bytes(json.dumps(_dataset(periods, {"0": 1})).encode())


def test_json_stat_of_inconsistent_sizes_is_not_a_dataset() -> None:
    with pytest.raises(UnreadableTableError, match="no column of dates"):
        read_bytes(json.dumps(_dataset(["2024M01"], [1, 2, 3])).encode())


def test_lists_in_records_are_named_as_left_out() -> None:
    records = [
        {"day": f"2024-03-{day:02}", "orders": day, "channels": {"list": [{"key": "web", "n": 1}]}}
        for day in range(1, 31)
    ]
    reading = read_text(json.dumps(records))
    assert [series.name for series in reading.series] == ["orders"]
    assert "“channels.list”" in notes_of(reading)
