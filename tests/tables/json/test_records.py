"""JSON as APIs return it: a list of points in each record, objects by date, nested records."""

import json

import pytest

from app.tables.errors import UnreadableTableError
from app.tables.reading import Reading
from tests.tables.tables import notes_of, read_text

DAYS = [f"2024-01-{day:02}" for day in range(1, 31)]
SECONDS = [1_704_067_200 + 86_400 * day for day in range(30)]
NORTH, SOUTH = [100 + day % 7 for day in range(30)], [50 + day % 5 for day in range(30)]


def series_of(content: object) -> dict[str, list[float]]:
    reading: Reading = read_text(json.dumps(content))
    assert {series.timestamps[0][:10] for series in reading.series} == {DAYS[0]}
    return {series.name: list(series.values) for series in reading.series}


def records_of(values: list[int]) -> list[dict[str, object]]:
    return [{"date": day, "sales": value} for day, value in zip(DAYS, values, strict=True)]


def metric(values: list[int], **labels: str) -> dict[str, object]:
    pairs = [[second, str(value)] for second, value in zip(SECONDS, values, strict=True)]
    return {"metric": {"__name__": "visits", **labels}, "values": pairs}


def test_parallel_lists_may_be_in_an_object_in_a_list_beside_a_date() -> None:
    quote = {"close": NORTH, "open": SOUTH}
    record = {
        "meta": {"symbol": "ABC", "firstTradeDate": SECONDS[0] - 86_400 * 9_000},
        "timestamp": SECONDS,
        "indicators": {"quote": [quote], "adjclose": [{"adjclose": SOUTH}]},
    }
    assert series_of({"chart": {"result": [record], "error": None}}) == {
        "indicators.quote.close": NORTH,
        "indicators.quote.open": SOUTH,
        "indicators.adjclose.adjclose": SOUTH,
    }


def test_records_may_be_numbered_by_an_index() -> None:
    numbered = {str(n): point for n, point in enumerate(records_of(NORTH))}
    assert series_of(numbered) == {"sales": NORTH}
    assert series_of({"data": numbered}) == {"sales": NORTH}


@pytest.mark.parametrize("form", ["/Date({}000)/", "/Date({}000+0000)/"])
def test_dates_of_net_are_milliseconds(form: str) -> None:
    rows = zip(SECONDS, NORTH, strict=True)
    assert series_of([{"Day": form.format(s), "sales": v} for s, v in rows]) == {"sales": NORTH}


@pytest.mark.parametrize(
    "content",
    [
        {"data": {"items": records_of(NORTH)}},
        {"results": records_of(NORTH), "count": 30, "next": None},
        {"response": {"body": {"records": records_of(NORTH)}}},
    ],
)
def test_the_records_of_an_api_are_found_in_its_objects(content: object) -> None:
    assert series_of(content) == {"sales": NORTH}


def test_objects_in_records_are_named_with_points() -> None:
    records = [
        {"day": day, "cpu": {"load": {"avg": n}}} for day, n in zip(DAYS, NORTH, strict=True)
    ]
    assert series_of(records) == {"cpu.load.avg": NORTH}


def test_the_values_of_prometheus_are_a_series_for_each_metric() -> None:
    result = [metric(NORTH, job="north", zone="a"), metric(SOUTH, job="south", zone="a")]
    content = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    assert series_of(content) == {"north": NORTH, "south": SOUTH}


def test_metrics_are_named_by_all_labels_in_which_they_differ() -> None:
    labels = [(job, zone, cpu) for job in "ab" for zone in "cd" for cpu in "01"]
    result = [metric(NORTH, job=job, zone=zone, cpu=cpu) for job, zone, cpu in labels]
    assert [*series_of({"data": {"result": result}})] == [" · ".join(names) for names in labels]


def test_the_values_of_a_single_metric_are_a_series() -> None:
    assert series_of({"data": {"result": [metric(NORTH)]}}) == {"values": NORTH}


def test_a_value_may_be_before_its_time() -> None:
    datapoints = [[value, second] for value, second in zip(NORTH, SECONDS, strict=True)]
    assert series_of([{"target": "visits", "datapoints": datapoints}]) == {"datapoints": NORTH}


def test_points_that_are_objects_are_named_by_their_records() -> None:
    content = {
        "series": [
            {"sales": "North", "points": records_of(NORTH)},
            {"sales": "South", "points": records_of(SOUTH)},
        ]
    }
    assert series_of(content) == {"North": NORTH, "South": SOUTH}


def monitor(values: list[int], host: str, **more: object) -> dict[str, object]:
    """Return a series as Datadog returns it, with the bounds of its dates."""
    pairs = [[1000 * second, value] for second, value in zip(SECONDS, values, strict=True)]
    metadata = {"query_index": 0, "length": 30, "interval": 86_400, "metric": "cpu", **more}
    bounds = {"start": pairs[0][0], "end": pairs[-1][0] + 1, "expression": f"avg:cpu{{{host}}}"}
    lists = {"tag_set": [host], "unit": [{"family": "percentage", "id": 17}, None]}
    return {**lists, **metadata, **bounds, "scope": host, "pointlist": pairs}


@pytest.mark.parametrize("more", [{}, {"end": 1_706_659_199_999}, {"tag_set": []}])
def test_lists_of_pairs_are_the_series_beside_other_lists(
    more: dict[str, object],
) -> None:
    series = [monitor(NORTH, "host:a"), monitor(SOUTH, "host:b", **more)]
    assert series_of({"status": "ok", "series": series}) == {"host:a": NORTH, "host:b": SOUTH}


def test_series_of_several_metrics_and_hosts_keep_different_names() -> None:
    series = [
        monitor([*values], f"host:{host}", metric=name)
        for name, values in (("cpu", NORTH), ("disk", SOUTH))
        for host in "ab"
    ]
    assert len(series_of({"series": series})) == 4


def test_a_series_without_points_before_the_others_does_not_hide_them() -> None:
    empty = monitor(NORTH, "host:0") | {"pointlist": []}
    series = [empty, monitor(NORTH, "host:a"), monitor(SOUTH, "host:b")]
    assert series_of({"series": series}) == {"host:a": NORTH, "host:b": SOUTH}


def test_the_only_different_name_is_not_repeated() -> None:
    series = [
        {
            "target": name,
            "tags": {"name": name},
            "datapoints": [[n, s] for n, s in zip(values, SECONDS, strict=True)],
        }
        for name, values in (("web.load", NORTH), ("db.load", SOUTH))
    ]
    assert series_of(series) == {"web.load": NORTH, "db.load": SOUTH}


@pytest.mark.parametrize(
    ("time", "value", "more"),
    [("Timestamps", "Values", {"Id": "m"}), ("x", "y", {"type": "scatter", "line": {"width": 2}})],
)
def test_lists_of_times_and_of_values_in_a_record_are_its_series(
    time: str, value: str, more: dict[str, object]
) -> None:
    series = [
        {**more, "Label": name, time: DAYS, value: values}
        for name, values in (("North", NORTH), ("South", SOUTH))
    ]
    assert series_of({"Messages": [], "results": series}) == {"North": NORTH, "South": SOUTH}
    assert series_of(series[:1]) == {value: NORTH}


@pytest.mark.parametrize(
    ("names", "field"),
    [
        (["day", "n"], "columns"),
        ([{"name": "day", "type": "Date"}, {"name": "n", "type": "Number"}], "columns"),
        ({"fields": [{"name": "day"}, {"name": "n"}]}, "schema"),
    ],
)
def test_rows_have_the_names_that_are_beside_them(names: object, field: str) -> None:
    rows = [[day, n] for day, n in zip(DAYS, NORTH, strict=True)]
    assert series_of({"properties": {field: names, "rows": rows}}) == {"n": NORTH}


def test_rows_of_dimensions_and_metrics_have_the_names_of_both_headers() -> None:
    rows = [
        {
            "dimensionValues": [{"value": day.replace("-", "")}],
            "metricValues": [{"value": str(north)}, {"value": str(south)}],
        }
        for day, north, south in zip(DAYS, NORTH, SOUTH, strict=True)
    ]
    headers = {
        "dimensionHeaders": [{"name": "date"}],
        "metricHeaders": [{"name": "sessions", "type": "INTEGER"}, {"name": "users"}],
    }
    assert series_of({**headers, "rows": rows, "rowCount": 30}) == {
        "sessions": NORTH,
        "users": SOUTH,
    }


def test_dates_in_the_index_of_pandas_are_those_of_the_rows() -> None:
    index = [1000 * second for second in SECONDS]
    data = [[north, south] for north, south in zip(NORTH, SOUTH, strict=True)]
    content = {"columns": ["north", "south"], "index": index, "data": data}
    assert series_of(content) == {"north": NORTH, "south": SOUTH}


def test_columns_of_pandas_are_read_by_their_dates_or_row_numbers() -> None:
    by_date = {
        "north": dict(zip(DAYS, NORTH, strict=True)),
        "south": dict(zip(DAYS, SOUTH, strict=True)),
    }
    assert series_of(by_date) == {"north": NORTH, "south": SOUTH}
    del by_date["south"][DAYS[-1]]
    assert series_of({"data": by_date}) == {"north": NORTH, "south": SOUTH[:-1]}
    columns = {"day": DAYS, "north": NORTH, "south": SOUTH}
    by_row = {name: dict(enumerate(cells)) for name, cells in columns.items()}
    assert series_of(by_row) == {"north": NORTH, "south": SOUTH}


def test_rates_by_date_are_not_taken_for_columns() -> None:
    rates = {day: {"EUR": n, "USD": n + 1} for day, n in zip(DAYS, NORTH, strict=True)}
    assert series_of({"base": "CHF", "rates": rates}) == {
        "EUR": NORTH,
        "USD": [n + 1 for n in NORTH],
    }


def test_tags_of_two_words_do_not_name_pairs() -> None:
    pairs = [[second, n] for second, n in zip(SECONDS, NORTH, strict=True)]
    assert series_of([{"tags": ["host:a", "env:b"], "points": pairs}]) == {"points": NORTH}


def test_lists_of_values_beside_their_times_are_named_by_the_records_beside_them() -> None:
    records = [{"group_tags": [f"host:{host}"], "query_index": 0} for host in "ab"]
    content = {
        "data": {"attributes": {"series": records, "times": SECONDS, "values": [NORTH, SOUTH]}}
    }
    assert series_of(content) == {"host:a": NORTH, "host:b": SOUTH}


def test_the_data_of_a_chart_have_the_dates_of_its_labels() -> None:
    datasets = [{"label": "North", "data": NORTH}, {"label": "South", "data": SOUTH}]
    assert series_of({"labels": DAYS, "datasets": datasets}) == {"North": NORTH, "South": SOUTH}


def test_points_of_records_in_records_are_named_by_both() -> None:
    columns = ["time", "mean"]
    series = [
        {
            "name": "cpu",
            "tags": {"host": host},
            "columns": columns,
            "values": [[f"{day}T00:00:00Z", n] for day, n in zip(DAYS, values, strict=True)],
        }
        for host, values in (("a", NORTH), ("b", SOUTH))
    ]
    results = {"results": [{"statement_id": 0, "series": series}]}
    assert series_of(results) == {"a": NORTH, "b": SOUTH}
    assert series_of({"results": [{"statement_id": 0, "series": series[:1]}]}) == {"mean": NORTH}


def test_groups_of_dated_records_are_a_series_each() -> None:
    content = [
        {
            "TimePeriod": {"Start": day, "End": after},
            "Total": {},
            "Groups": [
                {"Keys": ["EC2"], "Metrics": {"Cost": {"Amount": str(north), "Unit": "USD"}}},
                {"Keys": ["S3"], "Metrics": {"Cost": {"Amount": str(south), "Unit": "USD"}}},
            ],
        }
        for day, after, north, south in zip(
            DAYS, [*DAYS[1:], "2024-01-31"], NORTH, SOUTH, strict=True
        )
    ]
    assert series_of({"ResultsByTime": content}) == {"EC2": NORTH, "S3": SOUTH}


def test_lists_of_records_are_joined_and_keep_the_label_of_each_list() -> None:
    def states(entity: str, values: list[int]) -> list[dict[str, str]]:
        first, *others = zip(DAYS, values, strict=True)
        return [
            {"entity_id": entity, "state": str(first[1]), "last_changed": first[0]},
            *({"state": str(n), "last_changed": day} for day, n in others),
        ]

    content = [states("sensor.a", NORTH), states("sensor.b", SOUTH)]
    assert series_of(content) == {"sensor.a": NORTH, "sensor.b": SOUTH}


def test_lists_of_records_have_the_bounds_of_a_table() -> None:
    labels = {f"label {n}": "x" for n in range(4_900)}
    with pytest.raises(UnreadableTableError, match="the table has 590,001 rows"):
        read_text(json.dumps([[labels, *[{}] * 590_000]], separators=(",", ":")))
    with pytest.raises(UnreadableTableError, match="the table has 100,000 rows"):
        read_text(json.dumps([{**labels, "of": [{"n": 1}] * 100_000}], separators=(",", ":")))


def test_a_few_pairs_in_records_with_dates_are_not_the_series() -> None:
    records = [
        {"day": day, "total": n, "trips": [[SECONDS[i], 1]]}
        for i, (day, n) in enumerate(zip(DAYS, NORTH, strict=True))
    ]
    assert series_of(records) == {"total": NORTH}


@pytest.mark.parametrize(
    "content",
    [
        dict(zip(DAYS, NORTH, strict=True)),
        {"data": dict(zip(DAYS, NORTH, strict=True))},
        {
            "meta": {"1. of": "x"},
            "daily": {day: {"value": n} for day, n in zip(DAYS, NORTH, strict=True)},
        },
    ],
)
def test_an_object_by_date_is_a_table(content: object) -> None:
    assert series_of(content) == {"value": NORTH}


def test_records_with_a_date_keep_it_and_their_lists_are_left_out() -> None:
    records = [
        {"day": day, "total": n, "items": [{"shipped": "2023-05-01", "n": 1}]}
        for day, n in zip(DAYS, NORTH, strict=True)
    ]
    reading = read_text(json.dumps(records))
    assert [series.name for series in reading.series] == ["total"]
    assert "“items”" in notes_of(reading)


def test_a_word_that_is_a_month_elsewhere_does_not_hide_a_column_of_times() -> None:
    charges = [
        {"id": f"ch_{n}", "amount": n, "created": second, "refunds": {"object": "list", "data": []}}
        for second, n in zip(SECONDS, NORTH, strict=True)
    ]
    assert series_of({"object": "list", "data": charges}) == {"amount": NORTH}


def test_points_have_the_bounds_of_a_table() -> None:
    long_point = [SECONDS[0], *range(6)]
    with pytest.raises(UnreadableTableError, match="the table has 500,000 rows"):
        read_text(json.dumps([{"values": [long_point, *[[1]] * 499_999]}], separators=(",", ":")))


def test_an_empty_list_for_a_day_without_data_hides_no_other_day() -> None:
    by_day = {day: {"visits": count} for day, count in zip(DAYS, NORTH, strict=True)}
    [series] = read_text(json.dumps({**by_day, DAYS[9]: []})).series
    assert (series.name, len(series.missing)) == ("visits", 1)
