"""Tables of planning, statistics and tills, with the traps that pivot tables and exports set."""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, german, listing, months, number, to_text
from tests.tables.tables import date_cell, workbook

SINCE = months(2023, 1, 24)
HIGH, LOW = draw(24, 4100), draw(24, 700)
COUNTS, FEWER = draw(24, 5200, 0), draw(24, 310, 0)
DAYS = days("2024-01-01", 60)
DAILY = draw(60, 130, 0, 7)
YEARS = range(1990, 2020)
YEARLY = draw(30, 70, 1)
SHOPS = {"101": COUNTS, "205": FEWER}
BALANCE = [round(v - 4700, 2) for v in HIGH]
SHARES = [round(v / 1000 - 4.7, 2) for v in HIGH]
HALF_HOURS = [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=30 * i) for i in range(96)]
LOAD = draw(96, 0.4, 3, 48)
# Each of the two shops has one to three bills a day, of 7, 8 and 9.
TILLS = ("Wien", "Graz")
BILLS = [(day, till, i) for day in DAYS for till in TILLS for i in range(1 + day.day % 3)]
TAKINGS = {till: [(7.0, 15.0, 24.0)[day.day % 3] for day in DAYS] for till in TILLS}


def serial(day: dt.date) -> int:
    return (day - dt.date(1899, 12, 30)).days


def table_across(labels: list[str], rows: dict[str, list[float]], corner: str = "Account") -> str:
    return to_text(
        ";".join([corner, *labels]),
        [";".join([name, *(f"{value:.0f}" for value in row)]) for name, row in rows.items()],
    )


def with_totals() -> str:
    """Return months across, with the sum of each year behind its months."""
    labels = [
        label
        for year in (2023, 2024)
        for label in ([f"{day:%b}-{day:%y}" for day in SINCE if day.year == year] + [f"FY{year}"])
    ]
    cells = {
        name: [*values[:12], sum(values[:12]), *values[12:], sum(values[12:])]
        for name, values in (("Sales", COUNTS), ("Costs", FEWER))
    }
    return table_across(labels, cells)


def compact_pivot() -> bytes:
    rows: list[list[object]] = [["Row Labels", "Sum of Sales"]]
    for d, v in zip(SINCE, COUNTS, strict=True):
        if d.month == 1:
            rows.append([f"{d.year}", sum(COUNTS[:12] if d.year == 2023 else COUNTS[12:])])
        rows.append([f"{d:%b}", v])
    return workbook({"Pivot": [*rows, ["Grand Total", sum(COUNTS)]]})


CASES = [
    Case(
        "Eurostat: keys in one column, flags behind numbers",
        to_text(
            "freq,unit,geo\\TIME_PERIOD\t" + "\t".join(f"{d:%Y-%m} " for d in SINCE),
            "M,I21,AT\t" + "\t".join(f"{v} {'p' if i > 20 else ''}" for i, v in enumerate(HIGH)),
            "M,I21,DE\t" + "\t".join(f"{v} " for v in LOW),
        ),
        {"M,I21,AT": HIGH, "M,I21,DE": LOW},
        first="2023-01-01",
    ),
    Case(
        "World Bank: indicators with years across",
        to_text(
            '"Data Source","World Development Indicators",',
            "",
            '"Last Updated Date","2024-06-28",',
            "",
            '"Country Name","Country Code","Indicator Name","Indicator Code",'
            + "".join(f'"{y}",' for y in YEARS),
            *(
                f'"{n}","{c}","Life expectancy","SP.DYN",'
                + "".join(f'"{v + plus}",' for v in YEARLY)
                for n, c, plus in (("Aruba", "ABW", 0), ("Chad", "TCD", 5))
            ),
        ),
        {"Aruba": YEARLY, "Chad": [v + 5 for v in YEARLY]},
        first="1990-01-01",
        frequency="Yearly",
    ),
    Case(
        "Octopus: half-hours with begin and end",
        listing(
            " Consumption (kwh), Start, End",
            "{v}, {d:%Y-%m-%dT%H:%M:%SZ}, {d:%Y-%m-%dT%H:%M:%SZ}",
            LOAD,
            HALF_HOURS,
        ),
        {"Consumption (kwh)": LOAD},
        first="2024-01-01T00:00:00Z",
        frequency="Minutes",
    ),
    Case(
        "a hotel's days with sums of months",
        to_text(
            "Business Date\tRooms Sold\tOcc %",
            [
                row
                for d, v in zip(DAYS, DAILY, strict=True)
                for row in (
                    [f"{d:%d.%m.%y}\t{v:.0f}\t{v / 2:.1f} %"]
                    + ([f"Total {d:%B}\t999\t70,0 %"] if (d + dt.timedelta(1)).day == 1 else [])
                )
            ],
        ),
        {"Rooms Sold": DAILY, "Occ %": [v / 2 for v in DAILY]},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "a till's bills of two shops",
        to_text(
            "Filiale;Bon;Datum;Betrag",
            [f"{s};{i + 1};{d:%d.%m.%Y};{german(7 + i)}" for d, s, i in BILLS],
        ),
        TAKINGS,
        first="2024-01-01",
        frequency="Daily",
        asks=("duplicates",),
        then={"duplicates": "sum", "layout": "long", "columns": ("Betrag",)},
    ),
    Case(
        "a workbook with a total and notes below",
        workbook(
            {
                "Umsatz": [
                    ["Monat", "Umsatz"],
                    *([date_cell(serial(d)), v] for d, v in zip(SINCE, HIGH, strict=True)),
                    ["Summe", sum(HIGH)],
                    [],
                    ["* vorläufig; Quelle: Warenwirtschaft, Stand 03.02.2025"],
                    ["Erstellt von", "M. Huber"],
                ]
            }
        ),
        {"Umsatz": HIGH},
        first="2023-01-01",
    ),
    Case(
        "merged header cells and empty columns between",
        to_text(
            ";;Nord;;;Süd;",
            "Monat;;Stück;Umsatz;;Stück;Umsatz",
            [
                f"{d:%m.%Y};;{a:.0f};{a * 2:.0f};;{b:.0f};{b * 2:.0f}"
                for d, a, b in zip(SINCE, COUNTS, FEWER, strict=True)
            ],
        ),
        {
            "Nord Stück": COUNTS,
            "Nord Umsatz": [2 * v for v in COUNTS],
            "Süd Stück": FEWER,
            "Süd Umsatz": [2 * v for v in FEWER],
        },
        first="2023-01-01",
    ),
    Case(
        "two tables beside each other, of the same months",
        to_text(
            "Month,Sales,,Month,Visitors",
            [f"{d},{a:.0f},,{d},{b:.0f}" for d, a, b in zip(SINCE, COUNTS, FEWER, strict=True)],
        ),
        {"Sales": COUNTS, "Visitors": FEWER},
        first="2023-01-01",
    ),
    Case(
        "two tables beside each other, of other months",
        to_text(
            "Month,Sales,,Month,Visitors",
            [
                f"{d},{a:.0f},,{e},{b:.0f}"
                for d, e, a, b in zip(SINCE, months(2022, 1, 24), COUNTS, FEWER, strict=True)
            ],
        ),
        {"Sales": COUNTS},
        first="2023-01-01",
        asks=("dates",),
        then={"dates": "Month", "columns": ("Sales",)},
    ),
    Case(
        "changes in percent, negative in brackets",
        to_text(
            "Month,Growth",
            [
                f"{d:%b %Y},{f'({-v:.2f}%)' if v < 0 else f'{v:.2f}%'}"
                for d, v in zip(SINCE, SHARES, strict=True)
            ],
        ),
        {"Growth": SHARES},
        first="2023-01-01",
    ),
    Case(
        "Tally: amounts in Dr and Cr",
        to_text(
            "Particulars,Closing Balance",
            [
                f'{d:%b-%y},"{number(abs(v), ".", ",")} {"Cr" if v < 0 else "Dr"}"'
                for d, v in zip(SINCE, BALANCE, strict=True)
            ],
        ),
        {"Closing Balance": BALANCE},
        first="2023-01",
        says="Dr is read as positive and Cr as negative",
    ),
    Case(
        "months across with sums of years between",
        with_totals(),
        {"Sales": COUNTS, "Costs": FEWER},
        first="2023-01-01",
    ),
    Case(
        "sums of quarters between months",
        to_text(
            "Period;Umsatz",
            [
                row
                for d, v in zip(SINCE, COUNTS, strict=True)
                for row in (
                    [f"{d:%Y-%m};{v:.0f}"]
                    + ([f"Q{d.month // 3} {d.year};99999"] if d.month % 3 == 0 else [])
                )
            ],
        ),
        {"Umsatz": COUNTS},
        first="2023-01-01",
    ),
    Case(
        "a number in the first column that counts rows",
        listing(",date,sales", "{i},{d},{v:.0f}", DAILY, DAYS),
        {"sales": DAILY},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "numbers of shops",
        to_text(
            "date,store_id,sales",
            [f"{d},{s},{SHOPS[s][i]:.0f}" for i, d in enumerate(SINCE) for s in SHOPS],
        ),
        SHOPS,
        first="2023-01-01",
    ),
    Case(
        "Excel's pivot table in compact form",
        compact_pivot(),
        {"Sum of Sales": COUNTS},
        first="2023-01-01",
    ),
    Case(
        "names only on their first rows",
        to_text(
            "Filiale;Monat;Umsatz",
            [
                f"{n if i == 0 else ''};{d:%d.%m.%Y};{german(v)}"
                for n, vs in (("Wien", HIGH), ("Graz", LOW))
                for i, (d, v) in enumerate(zip(SINCE, vs, strict=True))
            ],
        ),
        {"Wien": HIGH, "Graz": LOW},
        first="2023-01-01",
    ),
    Case(
        "Google Ads: dashes and a total per account",
        to_text(
            "Campaign performance",
            "1 January 2024 - 29 February 2024",
            "Day,Clicks,Conversions",
            [
                f"{d},{v:.0f},{'--' if i % 9 == 4 else i % 5}"
                for i, (d, v) in enumerate(zip(DAYS, DAILY, strict=True))
            ],
            "Total: Account,7000,99",
            "Total: Search,5000,70",
        ),
        {"Clicks": DAILY, "Conversions": [float(i % 5) for i in range(60) if i % 9 != 4]},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "two columns of one name",
        to_text(
            "Monat;Umsatz;Umsatz",
            [f"{d:%m/%Y};{a:.0f};{b:.0f}" for d, a, b in zip(SINCE, COUNTS, FEWER, strict=True)],
        ),
        {"Umsatz": COUNTS, "Umsatz (column 3)": FEWER},
        first="2023-01-01",
    ),
]
