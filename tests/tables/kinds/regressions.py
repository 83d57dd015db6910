"""Kinds of tables that were read wrong in an earlier version, each in the form of another maker."""

import datetime as dt
import json

from tests.tables.kinds.case import (
    Case,
    days,
    draw,
    german,
    month_ends,
    months,
    number,
    rows_of,
    spreadsheet,
    to_text,
)
from tests.tables.tables import date_cell, workbook

BALANCE = draw(14, 4200)
MONTHS = months(2024, 1, 14)
CHARGES = [round(3 + (i * 37 % 91) / 7, 2) for i in range(203)]
CHARGED = sorted(
    dt.datetime(2024, 3, 1)
    + dt.timedelta(days=i * 40 // 203, hours=(i * 5) % 24, minutes=(i * 17) % 60, seconds=i % 60)
    for i in range(203)
)
PER_DAY = [
    round(sum(v for t, v in zip(CHARGED, CHARGES, strict=True) if t.date() == day), 2)
    for day in days("2024-03-01", 40)
]
MORNINGS = [
    dt.datetime.combine(day, dt.time(7, (i * 13) % 60))
    for i, day in enumerate(days("2024-01-01", 30))
]
ENDS = [
    dt.date(2022, 1, 29) + dt.timedelta(weeks=sum((4, 4, 5)[j % 3] for j in range(i)))
    for i in range(36)
]
RETAIL = draw(36, 90_000, 0)
REAL = draw(32, 900, 0)
SAP = draw(36, 15_000)
POINTS = [3534.3, 2039.7, 1987.2, 2210.1, 1899.9, 3021.4, 2544.8, 1765.3, 2011.2, 2750.6, 3110.9]
METER = [0.245, 0.312, 0.198, 0.276, 0.301, 0.222, 0.287, 0.264, 0.233, 0.219, 0.318, 0.205]
THREE = [49.118, 50.002, 48.731, 49.907, 51.263, 50.448, 47.992, 49.305, 50.781, 48.216, 49.664]
WORKED = [dt.timedelta(hours=3 + i % 5, minutes=(i * 10) % 60) for i in range(14)]
HOURS = [round(duration.total_seconds() / 3600, 10) for duration in WORKED]
WEEKS = draw(30, 200, 0)
FISCAL = draw(24, 7000, 0)
NORTH, SOUTH = draw(12, 300, 0), draw(12, 500, 0)
STORES = {f"Store {n}": draw(24, 100 * n, 0) for n in range(1, 31)}

CASES = [
    Case(
        "bank statement with its period and balance over the header",
        to_text(
            "Kontoauszug Girokonto;;;;",
            "Zeitraum:;01.01.2024;bis;28.02.2025;",
            "Saldo:;5.114,20 EUR;;;",
            "",
            "Nr;Buchungstag;Wertstellung;Verwendungszweck;Saldo",
            [
                f"{i};{d:%d.%m.%Y};{d:%d.%m.%Y};Monat;{german(v)}"
                for i, (d, v) in enumerate(zip(MONTHS, BALANCE, strict=True), 1)
            ],
        ),
        {"Saldo": BALANCE},
        first="2024-01-01",
    ),
    Case(
        "transactions with a time of day",
        to_text(
            "Created (UTC),Amount,Currency",
            rows_of(CHARGED, CHARGES, lambda t, v: f"{t:%Y-%m-%d %H:%M:%S},{v},usd"),
        ),
        {"Amount": PER_DAY},
        first="2024-03-01",
        frequency="Daily",
        asks=("per",),
        then={"per": "day-total"},
        says="add them up by day?",
    ),
    Case(
        "one reading a day at varying minutes",
        to_text(
            "time,weight", rows_of(MORNINGS, draw(30, 80), lambda t, v: f"{t:%Y-%m-%d %H:%M},{v}")
        ),
        {"weight": draw(30, 80)},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "4-4-5 calendar",
        to_text("Period ending,Net sales", rows_of(ENDS, RETAIL, lambda d, v: f"{d},{v:.0f}")),
        {"Net sales": RETAIL},
        first="2022-01-01",
        says="4-4-5",
    ),
    Case(
        "plan with zeros in months to come",
        to_text(
            "Monat;Absatz",
            rows_of(months(2024, 1, 36), [*REAL, 0, 0, 0, 0], lambda d, v: f"{d:%m/%Y};{v:.0f}"),
        ),
        {"Absatz": REAL},
        first="2024-01-01",
        asks=("until",),
        then={"until": dt.date(2026, 8, 1)},
        says="The last 4 values are 0: leave them out?",
    ),
    Case(
        "period and year in two columns",
        to_text(
            "Buchungsperiode\tGeschäftsjahr\tBetrag HW",
            rows_of(months(2022, 1, 36), SAP, lambda d, v: f"{d.month:03}\t{d.year}\t{german(v)}"),
        ),
        {"Betrag HW": SAP},
        first="2022-01-01",
    ),
    Case(
        "amounts that look like months of far years",
        to_text(
            "2024 report",
            "day,gross",
            rows_of(days("2024-01-01", 11), POINTS, lambda d, v: f"{d},{v}"),
        ),
        {"gross": POINTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "a unit in each cell",
        to_text(
            "Datum;Verbrauch",
            rows_of(
                days("2024-01-01", 12),
                METER,
                lambda d, v: f"{d:%d.%m.%Y};{number(v, ',', '', 3)} kWh",
            ),
        ),
        {"Verbrauch": METER},
        first="2024-01-01",
        frequency="Daily",
    ),
    *(
        Case(
            f"the unit {unit}",
            to_text(
                "day\tvalue",
                rows_of(
                    days("2024-01-01", 12), range(12, 24), lambda d, v, u=unit: f"{d}\t{v} {u}"
                ),
            ),
            {"value": [*range(12, 24)]},
            first="2024-01-01",
            frequency="Daily",
        )
        for unit in ("kg", "Stk.", "m³", "l", "km/h", "°C", "%", "€", "CHF", "Flaschen")
    ),
    Case(
        "several units",
        to_text(
            "day\tused",
            rows_of(
                days("2024-01-01", 24),
                range(12, 36),
                lambda d, v: f"{d}\t{v} {'kg' if v % 2 else 'l'}",
            ),
        ),
        {"used": [*range(13, 36, 2)]},
        first="2024-01-02",
        frequency="Daily",
        asks=("unit",),
        then={"unit": "kg"},
    ),
    Case(
        "three decimals in all",
        to_text(
            "date,frequency", rows_of(days("2024-01-01", 11), THREE, lambda d, v: f"{d},{v:.3f}")
        ),
        {"frequency": THREE},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "durations",
        to_text(
            "Datum;Arbeitszeit",
            rows_of(days("2024-01-01", 14), WORKED, lambda d, v: f"{d:%d.%m.%Y};0{v}"),
        ),
        {"Arbeitszeit": HOURS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "weeks without a year",
        to_text("Woche;Menge", rows_of(range(1, 31), WEEKS, lambda d, v: f"KW {d};{v:.0f}")),
        {"Menge": WEEKS},
        first="2024-01-01",
        frequency="Weekly",
        asks=("year",),
        then={"year": 2024},
    ),
    Case(
        "months of a fiscal year",
        to_text(
            "Period,Revenue",
            rows_of(range(24), FISCAL, lambda i, v: f"FY{2022 + i // 12}-M{i % 12 + 1:02},{v:.0f}"),
        ),
        {"Revenue": FISCAL},
        first="2021-07-01",
        asks=("start",),
        then={"start": dt.date(2021, 7, 1)},
    ),
    Case(
        "two merged header rows",
        to_text(
            ";Nord;;Süd;",
            "Monat;Stück;Umsatz;Stück;Umsatz",
            [
                f"{d:%m.%Y};{a:.0f};{a * 3:.0f};{b:.0f};{b * 3:.0f}"
                for d, a, b in zip(months(2024, 1, 12), NORTH, SOUTH, strict=True)
            ],
        ),
        {
            "Nord Stück": NORTH,
            "Nord Umsatz": [3 * a for a in NORTH],
            "Süd Stück": SOUTH,
            "Süd Umsatz": [3 * b for b in SOUTH],
        },
        first="2024-01-01",
    ),
    Case(
        "formulas without stored values",
        workbook(
            {
                "a": [
                    ["day", "sales"],
                    *(
                        [date_cell(45292 + i), i + 1 if i < 12 else b'<c r="@"><f>1+1</f></c>']
                        for i in range(14)
                    ),
                ]
            }
        ),
        {"sales": [*range(1, 13)]},
        first="2024-01-01",
        frequency="Daily",
        says="2 formulas have no stored value",
    ),
    Case(
        "OpenDocument spreadsheet",
        spreadsheet(
            [
                ["Monat", "Absatz"],
                *([d, v] for d, v in zip(months(2024, 1, 12), NORTH, strict=True)),
            ]
        ),
        {"Absatz": NORTH},
        first="2024-01-01",
    ),
    Case(
        "JSON records",
        json.dumps(
            [
                {"date": d.isoformat(), "sales": v}
                for d, v in zip(months(2024, 1, 12), NORTH, strict=True)
            ]
        ),
        {"sales": NORTH},
        first="2024-01-01",
    ),
    Case(
        "a long table with two columns of values",
        to_text(
            "date,store,sales,promo",
            [
                f"{d},{s},{v:.0f},{(i + j) % 2}"
                for i, d in enumerate(month_ends(2023, 1, 24))
                for j, (s, vs) in enumerate(STORES.items())
                for v in [vs[i]]
            ],
        ),
        STORES,
        first="2023-01-31",
        asks=("columns",),
        then={"columns": ("sales",)},
    ),
]
