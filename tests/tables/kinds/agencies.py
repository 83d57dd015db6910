"""Tables of agencies and markets.

The makers: the United Kingdom's system operator, a finance page, a statistical office (United
States), the World Bank, a company (Indonesia), a hospital (United Kingdom).
"""

import calendar
import datetime as dt
import json

from tests.tables.kinds.case import Case, days, draw, months, number, to_text

DEMAND, WIND = draw(48 * 6, 26_000, 0, 48), draw(48 * 6, 1200, 0, 48)
SINCE, MONTHLY, UNITS = months(2021, 1, 36), draw(36, 540_000, 0), draw(36, 500, 0)
TRADED = [day for day in days("2024-01-02", 80) if day.weekday() < 5]
CLOSE, VOLUME = draw(len(TRADED), 150, 2, 5), draw(len(TRADED), 400, 0, 5)
YEARLY = draw(30, 60, 3)
WEEKS, ADMITTED = days("2023-06-04", 40, 7), draw(40, 20, 0, 4)
MONTH_DAYS = [calendar.monthrange(2021, month)[1] for month in range(1, 13)]
INDONESIAN = [
    "Januari",
    "Februari",
    "Maret",
    "April",
    "Mei",
    "Juni",
    "Juli",
    "Agustus",
    "September",
    "Oktober",
    "November",
    "Desember",
]
PLACES = (",Austria", ",Albania", "Hubei,China", "Hunan,China", ",Denmark", "Greenland,Denmark")
CASE_DAYS, CASE_COUNTS = days("2026-03-01", 40), draw(40, 300, 0)


def quotes() -> list[str]:
    """Return rows of days, the newest first, and one of a dividend."""
    rows = [
        f"{d:%b} {d.day}, {d.year}\t{c}\t{v:.0f}"
        for d, c, v in zip(TRADED, CLOSE, VOLUME, strict=True)
    ][::-1]
    rows.insert(10, rows[9].split("\t")[0] + "\t0.25 Dividend\t")
    return rows


CASES = [
    Case(
        "days across, with provinces of some countries only",
        to_text(
            "Province/State,Country/Region,"
            + ",".join(f"{d.month}/{d.day}/{d:%y}" for d in CASE_DAYS),
            [
                ",".join([place, *(f"{count + 1_000 * n:.0f}" for count in CASE_COUNTS)])
                for n, place in enumerate(PLACES)
            ],
        ),
        {
            " · ".join(filter(None, place.split(","))): [count + 1_000 * n for count in CASE_COUNTS]
            for n, place in enumerate(PLACES)
        },
        first="2026-03-01",
        frequency="Daily",
    ),
    Case(
        "settlement periods of days",
        to_text(
            "SETTLEMENT_DATE,SETTLEMENT_PERIOD,ND,EMBEDDED_WIND",
            [
                f"{dt.date(2024, 2, 5 + i // 48):%d-%b-%Y},{i % 48 + 1},{a:.0f},{b:.0f}"
                for i, (a, b) in enumerate(zip(DEMAND, WIND, strict=True))
            ],
        ),
        {"ND": DEMAND, "EMBEDDED_WIND": WIND},
        first="2024-02-05",
        frequency="Minutes",
    ),
    Case(
        "a dividend among prices",
        to_text("Date\tClose\tVolume", quotes()),
        {"Close": CLOSE, "Volume": VOLUME},
        first="2024-01-02",
        frequency="Daily",
        says="0.25 Dividend",
    ),
    Case(
        "provisional and revised months",
        to_text(
            "Period\tValue",
            [
                f"{d:%b-%Y}{'(p)' if i == 35 else '(r)' if i > 32 else ''}\t{v:.0f}"
                for i, (d, v) in enumerate(zip(SINCE, MONTHLY, strict=True))
            ],
        ),
        {"Value": MONTHLY},
        first="2021-01-01",
    ),
    Case(
        "World Bank: a page's number before its records",
        json.dumps(
            [
                {"page": 1, "pages": 1},
                [
                    {"country": {"id": "BR"}, "date": str(1994 + i), "value": v}
                    for i, v in enumerate(YEARLY)
                ][::-1],
            ]
        ),
        {"value": YEARLY},
        first="1994-01-01",
        frequency="Yearly",
    ),
    Case(
        "rupiah",
        to_text(
            "Bulan;Penjualan;Unit",
            [
                f"{INDONESIAN[d.month - 1]} {d.year};Rp {number(1000 * v, ',', '.', 0)};{u:.0f}"
                for d, v, u in zip(SINCE, MONTHLY, UNITS, strict=True)
            ],
        ),
        {"Penjualan": [1000 * v for v in MONTHLY], "Unit": UNITS},
        first="2021-01-01",
    ),
    Case(
        "amounts of an unknown currency are named",
        to_text(
            "Month\tSales\tUnits",
            [
                f"{d:%Y-%m}\tXq¤# {v:.0f}\t{u:.0f}"
                for d, v, u in zip(SINCE, MONTHLY, UNITS, strict=True)
            ],
        ),
        {"Units": UNITS},
        first="2021-01-01",
        says="Not read: “Sales”",
    ),
    Case(
        "weeks by their ends",
        to_text(
            "Week ending,Admissions",
            [f"w/e {d:%d-%b-%y},{v:.0f}" for d, v in zip(WEEKS, ADMITTED, strict=True)],
        ),
        {"Admissions": ADMITTED},
        first="2023-06-04",
        frequency="Weekly",
    ),
    Case(
        "rand with spaces",
        to_text(
            "Month;Turnover",
            [
                f"{d:%Y-%m};R {number(v / 10 + 0.05, ',', ' ')}"
                for d, v in zip(SINCE, MONTHLY, strict=True)
            ],
        ),
        {"Turnover": [v / 10 + 0.05 for v in MONTHLY]},
        first="2021-01-01",
    ),
    Case(
        "days of a month down and months across, without a year",
        to_text(
            "Day," + ",".join(f"{d:%b}" for d in SINCE[:12]),
            [
                f"{day}," + ",".join(f"{7 + day / 4}" if day <= n else "" for n in MONTH_DAYS)
                for day in range(1, 32)
            ],
        ),
        {"value": [7 + day / 4 for n in MONTH_DAYS for day in range(1, n + 1)]},
        first="2021-01-01",
        frequency="Daily",
        asks=("year",),
        then={"year": 2021},
    ),
    Case(
        "footnotes behind thousands",
        to_text(
            "Month;Members",
            [f"{d:%Y-%m};1,{100 + i}{' [a]' if i in (5, 6) else ''}" for i, d in enumerate(SINCE)],
        ),
        {"Members": [1100 + i for i in range(36)]},
        first="2021-01-01",
        asks=("decimal",),
        then={"decimal": "point"},
    ),
    Case(
        "a text with a comma among thousands",
        to_text(
            "Month\tMembers",
            [
                f"{d:%Y-%m}\t1,{100 + i}{' see page 7' if i in (5, 6) else ''}"
                for i, d in enumerate(SINCE)
            ],
        ),
        {"Members": [1100 + i for i in range(36) if i not in (5, 6)]},
        first="2021-01-01",
        asks=("decimal",),
        then={"decimal": "point"},
    ),
]
