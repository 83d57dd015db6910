"""Tables that were made to be slow or large to read: wide, long, open quotes, odd dates, noise."""

import datetime as dt
import random
from collections.abc import Callable, Iterator

MAX_BYTES = 4 * 1024 * 1024  # the largest body by default
WIDTH = 5_000
Maker = Callable[[], bytes]
# What makes these hostile is their end, their one long line, or how many lines they have.
WHOLE_SHAPES = {
    "a million rows without dates", "4,999 days across, and down", "a byte in the middle",
    "an open quotation mark at the end", "a quoted cell of 4 MiB", "a name of 4 MiB",
    "numbers that are split", "numbers that are split except in one place",
    "a wide row among many", "a wide row of many lines", "many wide rows of many lines",
    "spaces, then a web page", "surrogates in UTF-8",
}  # fmt: skip


def days(count: int) -> Iterator[str]:
    start = dt.date(1700, 1, 1)
    return ((start + dt.timedelta(days=n)).isoformat() for n in range(count))


def rows(
    line: Callable[[str], str], header: str = "date,value", max_bytes: int = MAX_BYTES
) -> bytes:
    """Return rows of a day each, up to the largest body."""
    lines, size = [header], len(header)
    for day in days(100_000):
        lines.append(line(day))
        size += len(lines[-1].encode()) + 1
        if size > max_bytes:
            return "\n".join(lines[:-1]).encode()
    return "\n".join(lines).encode()


def _wide_table(cell: str, row_count: int = 400, header: str = "") -> bytes:
    lines = [header or ",".join([cell] * WIDTH)] + [",".join([cell] * WIDTH)] * row_count
    return "\n".join(lines).encode()[:MAX_BYTES]


def _months(count: int) -> bytes:
    header = "year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec"
    return "\n".join([header, *(f"{1900 + n % 200}" + ",1" * 12 for n in range(count))]).encode()


def _names(columns: int, row_count: int) -> bytes:
    """Dates that repeat, beside columns of a few names each: which columns make them unique?"""
    chance = random.Random(7)
    lines = ["date," + ",".join(f"c{n}" for n in range(columns))]
    for day in days(row_count // 4):
        lines += [f"{day}," + ",".join(chance.choices("abcde", k=columns)) for _ in range(4)]
    return "\n".join(lines).encode()[:MAX_BYTES]


def _split(last: str) -> bytes:
    """Return numbers that commas may have split in two, and a last row that says no."""
    return "\n".join(["a,b", *[",".join(["123"] * 40)] * 25_000, last]).encode()


def _dates_across(start: str, count: int) -> bytes:
    dates = ",".join(days(count))
    return f"{start}{dates}\nN{',1' * count}\nS{',2' * count}".encode()


def _gaps(columns: int, *dates: str) -> bytes:
    """Return a row for each date, with a value in each column."""
    header = "date," + ",".join(f"c{n}" for n in range(columns))
    return "\n".join([header, *(date + ",1" * columns for date in dates)]).encode()


def _hours(first: dt.datetime, count: int) -> list[str]:
    return [f"{first + dt.timedelta(hours=n)}" for n in range(count)]


GAPS: dict[str, Maker] = {
    "250 columns with a gap of five years": lambda: _gaps(
        250, *(f"{year}-01-{day:02}" for year in (1990, 1995) for day in range(1, 32))
    ),
    "500 columns with a gap of 130 years": lambda: _gaps(
        500, *(f"{year}-01-{day:02}" for year in (1890, 2020) for day in range(1, 32))
    ),
    "hours, and again ten years later": lambda: _gaps(
        40, *_hours(dt.datetime(2010, 1, 1), 9_000), *_hours(dt.datetime(2020, 1, 1), 9_000)
    ),
    "seconds, and one of another century": lambda: _gaps(
        4, *(f"2024-01-01 00:{n // 60:02}:{n % 60:02}" for n in range(900)), "1901-01-01 00:00:00"
    ),
    "every series in years of its own": lambda: "\n".join(
        ["d,n,v", *(f"{1800 + n}-01-{day:02},s{n},1" for n in range(200) for day in range(1, 32))]
    ).encode(),
    "half of the cells empty": lambda: (
        b"date"
        + b",a" * 100
        + b"\n"
        + b"\n".join(
            day.encode() + (b",1," if n % 2 else b",,1") * 50 for n, day in enumerate(days(9_000))
        )
    ),
}
SHAPES: dict[str, Maker] = {
    **GAPS,
    **{
        f"5,000 columns of {cell!r}": lambda cell=cell: _wide_table(cell)
        for cell in ("1", "", "Jan")
    },
    **{
        f"5,000 columns of {cell}": lambda cell=cell: _wide_table(cell, 80)
        for cell in (
            "2020",
            "x",
            "1.5",
            "#",
            "-",
            "Q1",
            '"a,b"',
            "1 234",
            "45000",
            "2024-01-01",
            "3",
        )
    },
    "200 columns of fiscal years": lambda: (
        b"id" + b",c" * 200 + b"\n" + (b"1" + b",FY23,FY24" * 100 + b"\n") * 4_200
    ),
    "5,000 columns, each row longer": lambda: "\n".join("," * n for n in range(2_800)).encode(),
    "5,001 columns": lambda: b"," * 5_000 + b"\n1,2",
    "a million columns": lambda: b"1," * 1_000_000,
    "5,000 columns of weeks": lambda: _wide_table("Week", 20),
    "2,000 columns of clocks": lambda: b"\n".join(
        [b"date" + b",c" * 2_000, *(f"2024-01-0{n}".encode() + b",1:30" * 2_000 for n in (1, 2))]
    ),
    "5,000 columns of one name": lambda: _wide_table("1", 100, header=",".join(["n"] * WIDTH)),
    "5,000 columns with long names": lambda: _wide_table(
        "1", 100, header=",".join(["n" * 500] * WIDTH)
    ),
    "a million rows without dates": lambda: b"a;1\n" * 1_000_000,
    "a wide row among many": lambda: b"a\n" * 1_000_000 + b"," * 4_000,
    "a wide row of many lines": lambda: (
        b"a,b\n" * 500 + b'"x\n",' * 4_990 + b"1\n" + b"a,b\n" * 500
    ),
    "many wide rows of many lines": lambda: (b'"\n",' * 2_500 + b"1\n") * 400,
    "an open quotation mark": lambda: b'date,"value\n' + b"2024-01-01,1\n" * 300_000,
    "an open quotation mark at the end": lambda: b"2024-01-01,1\n" * 300_000 + b'"',
    "a cell of 4 MiB": lambda: b"date,value\n2024-01-01," + b"x" * 4_000_000,
    "a quoted cell of 4 MiB": lambda: b'date,value\n2024-01-01,"' + b",\n" * 2_000_000 + b'"',
    "a name of 4 MiB": lambda: b"date," + b"aB" * 2_000_000 + b"\n2024-01-01,1\n2024-01-02,2",
    "names of 100 kB": lambda: rows(lambda day: f"2024-01-01,{day}{'n' * 100_000},1", "d,n,v"),
    "names in 40 columns": lambda: _names(40, 40_000),
    "names in 8 columns": lambda: _names(8, 150_000),
    "501 series": lambda: "\n".join(
        f"{day},s{n},1" for day in days(300) for n in range(501)
    ).encode(),
    "two series, a date each": lambda: "\n".join(
        f"{day},{name},1" for day in days(100_000) for name in "ab"
    ).encode(),
    "numbers that are split": lambda: _split("x" + ",x" * 39),
    "numbers that are split except in one place": lambda: _split("123,1234" + ",123" * 38),
    "months across": lambda: _months(100_000),
    "months across and no years": lambda: _months(100_000).replace(b"19", b"xx"),
    "4,999 days across": lambda: _dates_across("name,", 4_999),
    "4,999 days across, and down": lambda: (
        _dates_across("date,", 4_999) + b"\n2024-01-01,1" * 9_000
    ),
    "half of the dates are words": lambda: rows(lambda day: f"{day},1\nx,1"),
    "half of the values are words": lambda: rows(lambda day: f"{day},1,x,y\n{day},z,1,"),
    "no order of day and month": lambda: "\n".join(
        f"0{n % 9}/0{n % 8}/0{n % 7},{n % 10}" for n in range(300_000)
    ).encode(),
    "days without a year": lambda: "\n".join(
        f"{n % 28 + 1}.{n % 12 + 1}.;1" for n in range(400_000)
    ).encode(),
    "months without a year": lambda: b"Jan,1\nDec,2\n" * 300_000,
    "years of two digits": lambda: b"Jan 24,1\nFeb 25,2\n" * 200_000,
    "weeks": lambda: "\n".join(f"2024 KW {n % 60},1" for n in range(250_000)).encode(),
    "one date, 350,000 times": lambda: b"2024-01-01,1\n" * 320_000,
    "dates far apart": lambda: b"0001-01-01 00:00:00,1\n0001-01-01 00:00:01,2\n9999-12-31,3",
    "a second of every century": lambda: "\n".join(
        f"{century:02}00-01-01T00:00:{second:02},1"
        for century in range(1, 100)
        for second in range(60)
    ).encode(),
    "dates of all forms": lambda: (
        b"2024-01-01,1\n02.01.2024,2\n1/3/24,3\nJan 4 2024,4\n2024-W2,5\nQ1 2024,6\n" * 50_000
    ),
    "offsets of all kinds": lambda: "\n".join(
        f"2024-01-01T00:00:00{'+-'[n % 2]}{n % 24:02}:{n % 60:02},1" for n in range(120_000)
    ).encode(),
    "the newest row first": lambda: "\n".join(f"{d},1" for d in [*days(200_000)][::-1]).encode(),
    "seasons": lambda: "\n".join(
        f"{1900 + n % 100}/{(n + 1) % 100:02},1" for n in range(350_000)
    ).encode(),
    "parts of dates": lambda: (
        b"year,month,day,hour,v\n"
        + "\n".join(f"2024,{n % 12 + 1},{n % 28 + 1},{n % 24},1" for n in range(230_000)).encode()
    ),
    "spaces between columns": lambda: "\n".join(
        f"{day}  {n}" for n, day in enumerate(days(190_000))
    ).encode(),
    "a byte in the middle": lambda: (
        b"\xef\xbb\xbf" + b"2024-01-01,1\n" * 100_000 + b"\x81" + b"\n,"
    ),
    "surrogates": lambda: b"\xff\xfe" + b"\x00\xd8" * 2_000_000,
    "surrogates in UTF-8": lambda: b"\xed\xa0\x80" * 1_300_000,
    "UTF-16 that is cut": lambda: "date,value\n2024-01-01,1\n".encode("utf-16")[:-1],
    "web page: cells": lambda: b"<table>" + b"<tr><td>2024-01-01<td>1" * 130_000,
    "web page: merged cells": lambda: (
        b"<table><td colspan=590 rowspan=9999>x" + b"<tr><td>1" * 190_000
    ),
    "web page: text between tables": lambda: (
        b"<table><tr><td colspan=4999>a<td>b</table>" + b"x<table>" * 190_000
    ),
    "web page: empty rows below a merged cell": lambda: (
        b"<table><tr><td colspan=4990 rowspan=9999>" + b"<tr><td>" * 190_000
    ),
    "web page: scripts that stay open": lambda: b"<html><script>" + b"</script" * 190_000,
    "web page: entities": lambda: b"<table>" + (b"<tr><td>1<td>" + b"&amp;" * 790) * 500,
    "web page: a number of millions of digits": lambda: b"<table><td>&#" + b"9" * 4_000_000,
    "web page: tags that stay open": lambda: b"<table>" + b"<" * 4_000_000,
    "web page: comments that stay open": lambda: b"<table>" + b"<!--" * 90_000,
    "spaces, then a web page": lambda: b" " * 4_000_000 + b"<html>",
    **{f"noise {n}": lambda n=n: random.Random(n).randbytes(3_000_000) for n in range(4)},
    **{
        f"noise of {name}": lambda marks=marks: "".join(
            random.Random(1).choices(marks, k=2_000_000)
        ).encode()
        for name, marks in {
            "delimiters": ',;\t|" \n',
            "digits": "0123456789.,\n",
            "dates": "2024-01/.:TZ \n,",
            "letters": "aAéß \n,",
        }.items()
    },
}
