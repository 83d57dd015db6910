"""Tables in JSON that were made to be slow or large: depth, names, numbers, nothing."""

import datetime as dt
import json
from collections.abc import Callable

from tests.tables.hostile_tables import MAX_BYTES, Maker, days

RECORD = '{"day": "2024-01-01", "n": 1}'
VALUES = {
    "a number of 100,000 digits": "1" * 100_000,
    "a number above 64 bits": "9" * 25,
    "a number below 64 bits": "-" + "9" * 25,
    "a large exponent": "1e999999999",
    "a small exponent": "-1e-999999999",
    "the largest number": "1.7976931348623157e308",
    "minus zero": "-0.0",
    "not a number": "NaN",
    "infinity": "-Infinity",
    "true": "true",
    "an array": f"[{','.join(['1'] * 500)}]",
    "an object": '{"a": {"b": {"c": {"d": 1}}}}',
    "an empty text": '""',
    "a null byte": '"\\u0000"',
    "half of a surrogate": '"\\ud800"',
    "escapes": '"' + "\\n\\u0041" * 500 + '"',
    "a text of 5,000 characters": f'"{"x" * 5_000}"',
    "a text like a number": '"' + "1," * 2_000 + '"',
    "a text like a date": '"' + "2024-" * 1_000 + '"',
}


def _array(element: str, count: int) -> bytes:
    return f"[{','.join([element] * count)}]".encode()


def _records(fields: str, count: int = MAX_BYTES) -> bytes:
    """Return ``count`` of a record, or as many as a body may have."""
    return _array(fields, min(count, (MAX_BYTES - 2) // (len(fields) + 1)))


def _dated_records(value: str, count: int = 500) -> bytes:
    """Return records of a day and a value, as text."""
    first = dt.date(1990, 1, 1)
    lines = (f'{{"day": "{first + dt.timedelta(n)}", "n": {value}}}' for n in range(count))
    return f"[{','.join(lines)}]".encode()[: MAX_BYTES + 1]


def _columns(cell: str, count: int) -> bytes:
    column = f"[{','.join([cell] * count)}]"
    return f'{{"day": {column}, "n": {column}}}'.encode()


def _named_records(records: int, fields: int, name: Callable[[int], str]) -> bytes:
    """Return records whose names are all different."""
    lines = (
        {name(record * fields + field): 1 for field in range(fields)} for record in range(records)
    )
    return json.dumps([*lines], separators=(",", ":")).encode()


def _nested_json(start: str, end: str, depth: int, middle: str = "1") -> bytes:
    return (start * depth + middle + end * depth).encode()


JSONS: dict[str, Maker] = {
    "arrays a million deep": lambda: _nested_json("[", "]", 1_000_000),
    "arrays four million deep that stay open": lambda: b"[" * MAX_BYTES,
    "objects 400,000 deep": lambda: _nested_json('{"a":', "}", 400_000),
    "objects 200 deep in 2,000 records": lambda: _records(
        _nested_json('{"a":', "}", 200).decode(), 2_000
    ),
    "objects as deep as they are read": lambda: _records('{"a":{"b":{"c":1}}}'),
    "arrays in arrays": lambda: _nested_json("[[1,2],", "]", 200_000, "[1]"),
    "800,000 nulls": lambda: _array("null", 800_000),
    "rows of a null": lambda: _array("[null]", 500_000),
    "columns of 100,000 nulls": lambda: _columns("null", 100_000),
    "records of nulls": lambda: _records('{"day":null,"n":null}', 50_000),
    "empty records": lambda: _records("{}"),
    "empty arrays": lambda: _records("[]"),
    "empty arrays in arrays": lambda: _records("[[],[]]"),
    "5,001 names": lambda: _named_records(1, 5_001, "n{}".format),
    "100,000 names in one record": lambda: _named_records(1, 100_000, "{}".format),
    "100,000 records with a name each": lambda: _named_records(100_000, 1, "{}".format),
    "4,999 records with a name each": lambda: _named_records(4_999, 1, "{}".format),
    "60 records with 4,000 names each": lambda: _named_records(60, 4_000, "{}".format),
    "a name of 4 MB": lambda: _named_records(1, 1, ("x" * 4_000_000 + "{}").format),
    "names of 100 kB": lambda: _named_records(20, 2, ("x" * 100_000 + "{}").format),
    "5,000 names of 800 characters": lambda: _named_records(1, 5_000, ("x" * 800 + "{}").format),
    "one name 400,000 times": lambda: b'[{"a":1' + b',"a":1' * 400_000 + b"}]",
    "names that are there twice": lambda: _records('{"day":"2024-01-01","day":"2","n":1,"n":2}'),
    "names of nothing": lambda: _records('{"":1," ":2}'),
    "names that nesting makes equal": lambda: _records('{"a":{"b":1},"a.b":2}'),
    "one record": lambda: _records(RECORD, 1),
    "records of one day": lambda: _records(RECORD, 40_000),
    "lines of records": lambda: (RECORD + "\n").encode() * 130_000,
    "lines of records, the last broken": lambda: (RECORD + "\n").encode() * 40_000 + b'{"a',
    "lines of arrays": lambda: b"[[1,2]]\n" * 400_000,
    "records, then something else": lambda: _records(RECORD, 100_000) + b"x",
    "records of all types": lambda: _records('{"a":1},[2],"x",null,true,{"b":[{}]}'),
    "rows of different lengths": lambda: json.dumps([[1] * n for n in range(1_000)]).encode(),
    "rows of 5,000": lambda: json.dumps([[1] * 5_000] * 200).encode(),
    "rows of 5,001": lambda: json.dumps([[1] * 5_001] * 200).encode(),
    "columns of different lengths": lambda: json.dumps(
        {f"c{n}": [1] * n for n in range(1_000)}
    ).encode(),
    "5,000 columns of 100": lambda: json.dumps({f"c{n}": [1] * 100 for n in range(5_000)}).encode(),
    "tables in tables": lambda: json.dumps(
        {f"t{n}": {"data": {"rows": [{"a": 1}] * 20}} for n in range(2_000)}
    ).encode(),
    "names and no rows": lambda: b'{"columns":["a"],"data":[]}',
    "names and rows that are longer": lambda: json.dumps(
        {"columns": ["a"], "data": [[1] * 400] * 1_000}
    ).encode(),
    "a text that stays open": lambda: b'[{"' + b"x" * 4_000_000,
    "escapes that stay open": lambda: b'[{"' + b"\\" * 4_000_000,
    "blanks": lambda: b"[" + b" " * 4_000_000 + b"{}]",
    "two texts": lambda: b'[{"a":"' + b"x" * 2_000_000 + b'","b":"' + b"y" * 2_000_000 + b'"}]',
    "100,000 days": lambda: json.dumps({"day": [*days(100_000)], "n": [*range(100_000)]}).encode(),
    "40,000 records": lambda: json.dumps(
        [{"day": day, "n": n} for n, day in enumerate(days(40_000))]
    ).encode(),
    **{f"values: {name}": lambda text=text: _dated_records(text) for name, text in VALUES.items()},
}
