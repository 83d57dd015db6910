"""Tables that people keep of their work: admissions, costs, calls, payouts, donations."""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, german, month_ends, months, number, to_text
from tests.tables.tables import workbook

WEEKS = days("2023-01-02", 56, 7)
ADMITTED = draw(56, 430, 0)
SINCE = months(2022, 1, 30)
SICK, RATE = draw(30, 210, 0), draw(30, 3, 1)
DAYS = days("2024-01-01", 45)
EC2, S3 = draw(45, 130, period=7), draw(45, 12, period=7)
HIGH = [float(12_000 + 431 * i) for i in range(30)]
LOW = [float(20_500 + 377 * i) for i in range(30)]
SLOTS = [
    dt.datetime(2024, 3, 4 + day, 8 + slot // 4, 15 * (slot % 4))
    for day in range(5)
    for slot in range(40)
]
CALLS = draw(200, 31, 0, period=40)
PAYOUT_DAYS = [dt.date(2023, 1 + i // 3, 2 + (i % 3) * 9 + (i * 5) % 6) for i in range(36)]
PAYOUTS = draw(36, 890)
PAID = [round(sum(PAYOUTS[3 * m : 3 * m + 3]), 2) for m in range(12)]
YEARS = range(2008, 2024)
AREAS = {"AT": draw(16, 8300, 1), "CH": draw(16, 7900, 1), "DE": draw(16, 81_000, 1)}
REGIONS = {"Nord": draw(24, 510, 0), "Süd": draw(24, 340, 0)}
USERS = [float(1_204_331 + (i * 7919) % 90_001) for i in range(45)]
MILK = [float(1_045 + (i * 37) % 211) for i in range(45)]
WORK = [dt.timedelta(hours=6 + i % 4, minutes=(i * 7) % 60) for i in range(45)]
DONATIONS = draw(16, 25_000, 0)
RAIN = [round(((i * 13) % 17) / 10, 2) for i in range(45)]
SPANISH = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"]

CASES = [
    Case(
        "admissions by week",
        to_text(
            "Semana epidemiológica;Ingresos",
            [f"{d:%GW%V};{v:.0f}" for d, v in zip(WEEKS, ADMITTED, strict=True)],
        ),
        {"Ingresos": ADMITTED},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "a Markdown table of sick days",
        to_text(
            "| Monat | Krankentage | Quote |",
            "|-------|------------:|------:|",
            [
                f"| {d:%m/%Y} | {s:.0f} | {number(r, ',', '', 1)} % |"
                for d, s, r in zip(SINCE, SICK, RATE, strict=True)
            ],
        ),
        {"Krankentage": SICK, "Quote": RATE},
        first="2022-01-01",
    ),
    Case(
        "costs in a cloud, with totals first",
        to_text(
            "Service,EC2-Instances($),S3($),Total costs($)",
            f"Service total,{sum(EC2):.2f},{sum(S3):.2f},{sum(EC2) + sum(S3):.2f}",
            [f"{d},{a},{b},{a + b:.2f}" for d, a, b in zip(DAYS, EC2, S3, strict=True)],
        ),
        {
            "EC2-Instances($)": EC2,
            "S3($)": S3,
            "Total costs($)": [round(a + b, 2) for a, b in zip(EC2, S3, strict=True)],
        },
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "two registers of a meter at the end of months",
        to_text(
            "Ablesedatum;Zählerstand HT;Zählerstand NT",
            [
                f"{d:%d.%m.%y};{number(h, ',', '.', 0)};{number(n, ',', '.', 0)}"
                for d, h, n in zip(month_ends(2022, 1, 30), HIGH, LOW, strict=True)
            ],
        ),
        {"Zählerstand HT": HIGH, "Zählerstand NT": LOW},
        first="2022-01-31",
        asks=("decimal",),
        then={"decimal": "comma"},
    ),
    Case(
        "calls by quarter of an hour while the centre is open",
        to_text(
            "Date,Interval,Offered",
            [f"{t:%Y-%m-%d},{t:%H:%M},{v:.0f}" for t, v in zip(SLOTS, CALLS, strict=True)],
        ),
        {"Offered": CALLS},
        first="2024-03-04T08:00:00",
        frequency="Minutes",
    ),
    Case(
        "payouts on some days",
        to_text(
            "Payout date\tAmount",
            [
                f"{d:%m/%d/%Y}\t${number(v, '.', ',')}"
                for d, v in zip(PAYOUT_DAYS, PAYOUTS, strict=True)
            ],
        ),
        {"Amount": PAID},
        first="2023-01-01",
        says="The dates are irregular",
        then={"per": "month-total"},
    ),
    Case(
        "areas down and years across, with flags",
        to_text(
            "geo\\time," + ",".join(map(str, YEARS)),
            [f"{name}," + ",".join(map(str, values)) for name, values in AREAS.items()],
        ),
        AREAS,
        first="2008-01-01",
        frequency="Yearly",
    ),
    Case(
        "years merged over months across",
        workbook(
            {
                "Absatz": [
                    [None, *(d.year if d.month == 1 else None for d in months(2023, 1, 24))],
                    ["Region", *(f"{d:%b}" for d in months(2023, 1, 24))],
                    *([name, *values] for name, values in REGIONS.items()),
                ]
            }
        ),
        REGIONS,
        first="2023-01-01",
    ),
    Case(
        "millions of users with points",
        to_text(
            "Tag\tNutzer",
            [f"{d:%Y%m%d}\t{number(v, ',', '.', 0)}" for d, v in zip(DAYS, USERS, strict=True)],
        ),
        {"Nutzer": USERS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "litres of milk",
        to_text(
            "Datum\tMenge",
            [f"{d:%d.%m.%Y}\t{number(v, ',', '.', 0)} l" for d, v in zip(DAYS, MILK, strict=True)],
        ),
        {"Menge": MILK},
        first="2024-01-01",
        frequency="Daily",
        asks=("decimal",),
        then={"decimal": "comma"},
    ),
    Case(
        "tracked time with a name and a project",
        to_text(
            "User,Project,Start date,Duration",
            [f"Ada,Website,{d},0{v}" for d, v in zip(DAYS, WORK, strict=True)],
        ),
        {"Duration": [round(v.total_seconds() / 3600, 10) for v in WORK]},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "donations by half-year",
        to_text(
            "Half,Given", [f"H{i % 2 + 1} {2016 + i // 2},{v:.0f}" for i, v in enumerate(DONATIONS)]
        ),
        {"Given": DONATIONS},
        first="2016-01-01",
        frequency="Quarterly",
    ),
    Case(
        "rain with letters for what is missing",
        to_text(
            "STATION,NAME,DATE,PRCP",
            [f'USW00094728,"NEW YORK, NY US",{d},{v:.2f}' for d, v in zip(DAYS, RAIN, strict=True)],
        ),
        {"PRCP": RAIN},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "serial days with decimal commas",
        to_text("Fecha;Litros", [f"{45292 + i};{german(v)}" for i, v in enumerate(EC2)]),
        {"Litros": EC2},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Spanish months in short",
        to_text(
            "Mes;Ventas",
            [
                f"{SPANISH[d.month - 1]}-{d:%y};{german(v)}"
                for d, v in zip(SINCE, draw(30, 7100), strict=True)
            ],
        ),
        {"Ventas": draw(30, 7100)},
        first="2022-01-01",
    ),
]
