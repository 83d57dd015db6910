"""Texts that were made to be slow or large to read: delimiters, numbers, dates, encodings."""

import datetime as dt
import random
from collections.abc import Callable, Iterator
from functools import partial

MAX_BYTES = 4 * 1024 * 1024  # the largest body by default
WIDTH = 5_000
Maker = Callable[[], bytes]

DELIMITERS = {"commas": ",", "semicolons": ";", "tabs": "\t", "bars": "|", "spaces": " "}
REPEATED = {
    **DELIMITERS,
    **{f"{name} and line ends": f"{mark}\n" for name, mark in DELIMITERS.items()},
    **{f"pairs between {name}": f"a{mark}b\n" for name, mark in DELIMITERS.items()},
    **{f"rows of {name}": mark * 40 + "\n" for name, mark in DELIMITERS.items()},
    **{f"quoted {name}": f'"{mark}"{mark}"x"\n' for name, mark in DELIMITERS.items()},
    "quotation marks": '"',
    "pairs of quotation marks": '""',
    "quotation marks and line ends": '"\n',
    "quotation marks and commas": '",',
    "quotation marks inside cells": '"a"b",',
    "empty quoted cells": '"",""\n',
    "line ends in cells": '"\n","\n"\n',
    "apostrophes": "'",
    "line feeds": "\n",
    "carriage returns": "\r",
    "both line ends": "\r\n",
    "vertical tabs": "\x0b",
    "form feeds": "\x0c1",
    "line separators": "\u20281",
    "next lines": "1\x85",
    "null bytes": "\x00",
    "null bytes behind letters": "a\x00",
    "byte order marks": "\ufeff",
    "joiners": "\u200d",
    "right to left marks": "\u202e",
    "right to left words": "\u202eשלום,١٢٣\n",
    "combining accents": "e\u0301\u0302",
    "letters that decompose": "ǖ",
    "emoji": "👩\u200d👩,",
    "digits": "1",
    "digits of other scripts": "١",
    "superscripts": "²,",
    "fractions": "½\n",
    "words": "a ",
    "long lines of words": "a b c d e f g h " * 20 + "\n",
    "hashes": "#",
    "comments": "#x\n",
    "slashes": "//\n",
    "dashes": "-",
    "rules": "---,---\n",
    "rules of bars": "|---|:-:|\n",
    "equals signs": "=",
    "pluses": "+,",
    "brackets": "[",
    "braces": "{}",
    "less than": "<",
    "tags": "<td>",
    "backslashes": "\\",
    "percent signs": "%,",
    "exclamation marks": "!",
    "sep lines": "sep=,\n",
    "counts": "1\n",
    "zeros": "0,",
    "points": ".",
    "minus one": "-1\n",
    "holes": "n/a,",
    "holes and line ends": "NULL\n",
    "years": "2024\n",
    "years without line ends": "2024",
    "dates": "2024-01-01\n",
    "dates without line ends": "2024-01-01",
    "dates between spaces": "2024-01-01 ",
    "months": "Jan,",
    "months and line ends": "Jan\n",
    "times": "12:00,",
    "totals": "Total,1\n",
}
# Cells that are repeated in a column beside dates, and as the dates themselves.
CELLS = {
    "a number of 100,000 digits": "1" * 100_000,
    "a decimal of 100,000 digits": "0." + "1" * 100_000,
    "zeros in front": "0" * 100_000 + "1",
    "an exponent": "1e999999999",
    "a negative exponent": "1e-999999999",
    "an exponent of 100,000 digits": "1e" + "9" * 100_000,
    "exponents": "1e1" * 20_000,
    "points in threes": "1." + "234." * 20_000,
    "commas in threes": '"' + "1,234" * 20_000 + '"',
    "spaces in threes": "1 " + "234 " * 20_000,
    "apostrophes in threes": "1'" + "234'" * 20_000,
    "currencies": "€" * 100_000 + "1",
    "currencies behind": "1" + "kr" * 50_000,
    "opening brackets": "(" * 100_000 + "1",
    "brackets": "(" * 30 + "1" + ")" * 29,
    "minus signs": "-" * 100_000,
    "signs and digits": "+-" * 50_000 + "1",
    "dashes": "–" * 30_000 + "-",
    "infinity": "inf",
    "not a number": "nan" * 30_000,
    "underscores": "1_" * 50_000,
    "hexadecimal": "0x" + "f" * 100_000,
    "a long fraction of a second": "2024-01-01T00:00:00." + "0" * 100_000,
    "a date of many spaces": "1" + " " * 100_000 + "January 2024",
    "slashes": "1/" * 50_000,
    "months": "Jan" * 30_000,
    "a weekday and commas": "Monday" + ", " * 50_000 + "1 January 2024",
    "an offset": "2024-01-01T00:00:00+99:99",
    "a week": "2024-W" + "5" * 100_000,
    "quarters": "Q1" * 50_000,
    "the year 0": "0000-01-01",
    "the year 9999": "9999-12-31T24:00:00",
    "an epoch": "9999999999",
    "a nanosecond epoch": "9999999999999999999",
    "a serial number": "73049,99999999999999999999999",
    "a range": "2024-01-01 06:00 - " + "x" * 100_000 + " 07:00",
    "words": "x " * 50_000,
    "comment signs": "#" * 100_000,
}
# What makes these nasty is their end, or their one long line.
WHOLE_SHAPES = {
    *("an open quotation mark at the end", "a quoted cell of 4 MiB", "a name of 4 MiB"),
    *(
        "numbers that are split",
        "numbers that are split except in one place",
        "a byte in the middle",
    ),
    *("a wide row among many", "a wide row of many lines", "many wide rows of many lines"),
    *("4,999 days across, and down", "spaces, then a web page", "surrogates in UTF-8"),
}
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "utf-7"),
    *("cp1252", "latin-1", "cp037", "shift_jis", "gb18030", "iso8859-15", "mac-roman"),
)


def text_makers(max_bytes: int = MAX_BYTES) -> Iterator[tuple[str, Maker]]:
    """Yield names and makers of texts of up to ``max_bytes``, but those of `WHOLE_SHAPES`."""
    for n, (name, text) in enumerate(REPEATED.items()):
        start = ("", "date,value\n2024-01-01,1\n")[n % 2]
        yield f"repeated: {name}", partial(_filled, start, text, max_bytes)
    for name, cell in CELLS.items():
        values, dates = (
            partial(_rows, line, max_bytes=max_bytes)
            for line in (partial("{1},{0}".format, cell), partial("{0},1".format, cell))
        )
        yield f"values: {name}", values
        yield f"dates: {name}", dates
    for encoding in ENCODINGS:
        yield f"encoding {encoding}", partial(_encoded, encoding, max_bytes // 100)
    for name, make in SHAPES.items():
        is_whole = name in WHOLE_SHAPES or max_bytes == MAX_BYTES
        yield name, make if is_whole else lambda make=make: _first_lines(make(), max_bytes)


def _first_lines(content: bytes, max_bytes: int) -> bytes:
    """Return the lines that fit; as many bytes as fit of a text that is one line."""
    if len(content) <= max_bytes:
        return content
    return content[: content.rfind(b"\n", 0, max_bytes) + 1 or max_bytes]


def _filled(start: str, text: str, max_bytes: int) -> bytes:
    """As much of a text as a body may have."""
    unit = text.encode()
    return start.encode() + unit * ((max_bytes - len(start)) // len(unit))


def _days(count: int, step: dt.timedelta = dt.timedelta(days=1)) -> Iterator[str]:
    start = dt.datetime(1700, 1, 1)
    return ((start + step * n).isoformat(" ").removesuffix(" 00:00:00") for n in range(count))


def _rows(
    line: Callable[[str], str], header: str = "date,value", max_bytes: int = MAX_BYTES
) -> bytes:
    """Rows of a day each, up to the largest body."""
    lines, size = [header], len(header)
    for day in _days(100_000):
        lines.append(line(day))
        size += len(lines[-1].encode()) + 1
        if size > max_bytes:
            return "\n".join(lines[:-1]).encode()
    return "\n".join(lines).encode()


def _encoded(encoding: str, rows: int) -> bytes:
    table = "\n".join(f"{day};{n},5" for n, day in enumerate(_days(rows)))
    return f"date;amount\n{table}".encode(encoding)[: MAX_BYTES - 1]


def _wide(cell: str, rows: int = 400, header: str = "") -> bytes:
    lines = [header or ",".join([cell] * WIDTH)] + [",".join([cell] * WIDTH)] * rows
    return "\n".join(lines).encode()[:MAX_BYTES]


def _months(rows: int) -> bytes:
    header = "year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec"
    return "\n".join([header, *(f"{1900 + n % 200}" + ",1" * 12 for n in range(rows))]).encode()


def _names(columns: int, rows: int) -> bytes:
    """Dates that repeat, beside columns of a few names each: which columns make them unique?"""
    chance = random.Random(7)
    lines = ["date," + ",".join(f"c{n}" for n in range(columns))]
    for day in _days(rows // 4):
        lines += [f"{day}," + ",".join(chance.choices("abcde", k=columns)) for _ in range(4)]
    return "\n".join(lines).encode()[:MAX_BYTES]


def _split(last: str) -> bytes:
    """Numbers that commas may have split in two, and a last row that says no."""
    return "\n".join(["a,b", *[",".join(["123"] * 40)] * 25_000, last]).encode()


def _across(start: str, count: int) -> bytes:
    dates = ",".join(_days(count))
    return f"{start}{dates}\nN{',1' * count}\nS{',2' * count}".encode()


SHAPES: dict[str, Maker] = {
    **{f"5,000 columns of {cell!r}": lambda cell=cell: _wide(cell) for cell in ("1", "", "Jan")},
    **{
        f"5,000 columns of {cell}": lambda cell=cell: _wide(cell, 80)
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
    "5,000 columns, each row longer": lambda: "\n".join("," * n for n in range(2_800)).encode(),
    "5,001 columns": lambda: b"," * 5_000 + b"\n1,2",
    "a million columns": lambda: b"1," * 1_000_000,
    "5,000 columns of one name": lambda: _wide("1", 100, header=",".join(["n"] * WIDTH)),
    "5,000 columns with long names": lambda: _wide("1", 100, header=",".join(["n" * 500] * WIDTH)),
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
    "names of 100 kB": lambda: _rows(lambda day: f"2024-01-01,{day}{'n' * 100_000},1", "d,n,v"),
    "names in 40 columns": lambda: _names(40, 40_000),
    "names in 8 columns": lambda: _names(8, 150_000),
    "501 series": lambda: "\n".join(
        f"{day},s{n},1" for day in _days(300) for n in range(501)
    ).encode(),
    "two series, a date each": lambda: "\n".join(
        f"{day},{name},1" for day in _days(100_000) for name in "ab"
    ).encode(),
    "numbers that are split": lambda: _split("x" + ",x" * 39),
    "numbers that are split except in one place": lambda: _split("123,1234" + ",123" * 38),
    "months across": lambda: _months(100_000),
    "months across and no years": lambda: _months(100_000).replace(b"19", b"xx"),
    "4,999 days across": lambda: _across("name,", 4_999),
    "4,999 days across, and down": lambda: _across("date,", 4_999) + b"\n2024-01-01,1" * 9_000,
    "half of the dates are words": lambda: _rows(lambda day: f"{day},1\nx,1"),
    "half of the values are words": lambda: _rows(lambda day: f"{day},1,x,y\n{day},z,1,"),
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
    "the newest row first": lambda: "\n".join(f"{d},1" for d in [*_days(200_000)][::-1]).encode(),
    "seasons": lambda: "\n".join(
        f"{1900 + n % 100}/{(n + 1) % 100:02},1" for n in range(350_000)
    ).encode(),
    "parts of dates": lambda: (
        b"year,month,day,hour,v\n"
        + "\n".join(f"2024,{n % 12 + 1},{n % 28 + 1},{n % 24},1" for n in range(230_000)).encode()
    ),
    "spaces between columns": lambda: "\n".join(
        f"{day}  {n}" for n, day in enumerate(_days(190_000))
    ).encode(),
    "a byte in the middle": lambda: (
        b"\xef\xbb\xbf" + b"2024-01-01,1\n" * 100_000 + b"\x81" + b"\n,"
    ),
    "surrogates": lambda: b"\xff\xfe" + b"\x00\xd8" * 2_000_000,
    "surrogates in UTF-8": lambda: b"\xed\xa0\x80" * 1_300_000,
    "UTF-16 that is cut": lambda: "date,value\n2024-01-01,1\n".encode("utf-16")[:-1],
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
