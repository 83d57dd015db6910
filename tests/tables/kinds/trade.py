"""Tables of shops, advertising and payments."""

import datetime as dt
import json

from tests.tables.kinds.case import Case, days, draw, month_ends, months, number, rows_of, to_text
from tests.tables.tables import date_cell, workbook

DAYS = days("2024-01-01", 70)
SALES = draw(70, 2400, period=7)
COUNTS = draw(70, 120, 0, period=7)
SINCE = months(2023, 1, 24)
MONTHLY = draw(24, 5200)
WEEKLY = draw(60, 800, 0)
MONDAYS = days("2023-01-02", 60, 7)
PAYMENTS = [
    (
        dt.datetime(2024, 1, 1) + dt.timedelta(minutes=251 * i + (i * 37) % 97),
        round(9 + (i * 29 % 83) / 3, 2),
    )
    for i in range(300)
]
PAID_DAYS = days("2024-01-01", 53)
PAID = [round(sum(v for t, v in PAYMENTS if t.date() == day), 2) for day in PAID_DAYS]
SPARSE = [day for i, day in enumerate(days("2024-01-01", 90)) for _ in range((i * 7) % 4)]
SPARSE_VALUES = [float(5 + i % 11) for i in range(len(SPARSE))]
SPARSE_DAYS = days("2024-01-02", 89)
SPARSE_SUMS = [
    sum(v for d, v in zip(SPARSE, SPARSE_VALUES, strict=True) if d == day) for day in SPARSE_DAYS
]
BILLS = [dt.date(day.year, day.month, 3 + (i * 5) % 20) for i, day in enumerate(SINCE)]

CASES = [
    Case(
        "Shopify: sales over time",
        to_text(
            "Day,Orders,Gross sales,Discounts,Net sales",
            rows_of(
                DAYS,
                zip(COUNTS, SALES, strict=True),
                lambda d, v: f"{d},{v[0]:.0f},{v[1]},{-v[0] / 4},{v[1] - v[0] / 4:.2f}",
            ),
        ),
        {
            "Orders": COUNTS,
            "Gross sales": SALES,
            "Discounts": [-v / 4 for v in COUNTS],
            "Net sales": [round(s - v / 4, 2) for s, v in zip(SALES, COUNTS, strict=True)],
        },
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Stripe: balance transactions",
        to_text(
            "id,Created (UTC),Amount,Fee",
            [f"txn_{i},{t:%Y-%m-%d %H:%M},{v},{v / 100:.2f}" for i, (t, v) in enumerate(PAYMENTS)],
        ),
        {"Amount": PAID},
        first="2024-01-01",
        frequency="Daily",
        asks=("per",),
        then={"per": "day-total", "columns": ("Amount",)},
    ),
    Case(
        "PayPal: dates and times in two columns",
        to_text(
            '"Date","Time","Currency","Gross"',
            [f'"{t:%d/%m/%Y}","{t:%H:%M:%S}","EUR","{number(v, ",")}"' for t, v in PAYMENTS],
        ),
        {"Gross": PAID},
        first="2024-01-01",
        frequency="Daily",
        asks=("per",),
        then={"per": "day-total"},
    ),
    Case(
        "Square: items with dollar signs, newest first",
        to_text(
            "Date,Net Sales",
            rows_of(DAYS[::-1], SALES[::-1], lambda d, v: f'{d:%m/%d/%Y},"${number(v, ".", ",")}"'),
        ),
        {"Net Sales": SALES},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Toast: days of a restaurant with names",
        to_text(
            "Business Date\tDay\tNet Sales\tGuests",
            rows_of(
                DAYS,
                zip(SALES, COUNTS, strict=True),
                lambda d, v: f"{d:%Y%m%d}\t{d:%a}\t{v[0]}\t{v[1]:.0f}",
            ),
        ),
        {"Net Sales": SALES, "Guests": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "receipts by day, several on most",
        to_text("date;amount", rows_of(SPARSE, SPARSE_VALUES, lambda d, v: f"{d};{v:.0f}")),
        {"amount": SPARSE_SUMS},
        first="2024-01-02",
        frequency="Daily",
        asks=("per",),
        then={"per": "day-total"},
    ),
    Case(
        "Google Analytics: comments above and a total below",
        to_text(
            "# ----------------------------------------",
            "# All Users",
            "# Sessions",
            "# 20240101-20240310",
            "# ----------------------------------------",
            "",
            "Day Index,Sessions",
            rows_of(
                DAYS, COUNTS, lambda d, v: f'{d.month}/{d.day}/{d:%y},"{number(v, ".", ",", 0)}"'
            ),
            f',"{number(sum(COUNTS), ".", ",", 0)}"',
        ),
        {"Sessions": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Google Analytics 4: compact days",
        to_text("Date,Active users", rows_of(DAYS, COUNTS, lambda d, v: f"{d:%Y%m%d},{v:.0f}")),
        {"Active users": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Google Ads: title and period above",
        to_text(
            "Campaign report",
            '"January 1, 2024 - March 10, 2024"',
            "Day,Clicks,Cost",
            rows_of(
                DAYS,
                zip(COUNTS, SALES, strict=True),
                lambda d, v: f'"{d:%b} {d.day}, {d.year}",{v[0]:.0f},{v[1]}',
            ),
        ),
        {"Clicks": COUNTS, "Cost": SALES},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Search Console: newest first, shares with a sign",
        to_text(
            "Date,Clicks,CTR",
            rows_of(DAYS[::-1], COUNTS[::-1], lambda d, v: f"{d},{v:.0f},{v / 50:.2f}%"),
        ),
        {"Clicks": COUNTS, "CTR": [round(v / 50, 2) for v in COUNTS]},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Amazon: offsets of a time zone",
        to_text(
            "snapshot_date,units_ordered",
            rows_of(DAYS, COUNTS, lambda d, v: f"{d}T00:00:00-08:00,{v:.0f}"),
        ),
        {"units_ordered": COUNTS},
        first="2024-01-01T00:00:00-08:00",
        frequency="Daily",
    ),
    Case(
        "weeks of a retailer by ISO number",
        to_text("Week,Units", rows_of(MONDAYS, WEEKLY, lambda d, v: f"{d:%G-W%V},{v:.0f}")),
        {"Units": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "weeks in German words",
        to_text(
            "Kalenderwoche;Absatz",
            rows_of(MONDAYS, WEEKLY, lambda d, v: f"KW {int(f'{d:%V}')}/{d:%G};{v:.0f} Stück"),
        ),
        {"Absatz": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "year and week in two columns",
        to_text(
            "Jahr;KW;Menge",
            rows_of(MONDAYS, WEEKLY, lambda d, v: f"{d:%G};{int(f'{d:%V}')};{v:.0f}"),
        ),
        {"Menge": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "weeks that end on Sundays",
        to_text(
            "W/E\tSales",
            rows_of(
                MONDAYS,
                WEEKLY,
                lambda d, v: f"{d + dt.timedelta(6):%d/%m/%Y}\t£{number(v, '.', ',', 0)}",
            ),
        ),
        {"Sales": WEEKLY},
        first="2023-01-08",
        frequency="Weekly",
    ),
    Case(
        "bills of months on varying days",
        to_text("Invoice date,Amount", rows_of(BILLS, MONTHLY, lambda d, v: f"{d},{v}")),
        {"Amount": MONTHLY},
        first="2023-01-01",
        says="One value a month",
    ),
    Case(
        "WooCommerce: JSON with an envelope",
        json.dumps(
            {
                "status": "ok",
                "data": {
                    "intervals": [
                        {"interval": f"{d:%Y-%m}", "subtotals": {"net": v}}
                        for d, v in zip(SINCE, MONTHLY, strict=True)
                    ]
                },
            }
        ),
        {"subtotals.net": MONTHLY},
        first="2023-01-01",
    ),
    Case(
        "lines of JSON",
        "\n".join(
            json.dumps({"ts": f"{d}T00:00:00Z", "orders": v})
            for d, v in zip(DAYS, COUNTS, strict=True)
        ),
        {"orders": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "columns of JSON with epochs",
        json.dumps(
            {
                "time": [
                    int(dt.datetime(d.year, d.month, d.day, tzinfo=dt.UTC).timestamp())
                    for d in DAYS
                ],
                "value": COUNTS,
            }
        ),
        {"value": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "three shops side by side in a workbook with a title",
        workbook(
            {
                "Data": [
                    ["Sales report 2023"],
                    [],
                    [None, "Bern", "Basel", "Genf"],
                    *(
                        [date_cell((d - dt.date(1899, 12, 30)).days), v, v + 1, v + 2]
                        for d, v in zip(month_ends(2023, 1, 24), MONTHLY, strict=True)
                    ),
                ]
            }
        ),
        {"Bern": MONTHLY, "Basel": [v + 1 for v in MONTHLY], "Genf": [v + 2 for v in MONTHLY]},
        first="2023-01-31",
    ),
]
