"""Tables with periods, names, units or marks in unusual places."""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, german, listing, months, number, to_text

SINCE = months(2023, 1, 24)
HIGH, LOW = draw(24, 4100, 0), draw(24, 700, 0)
THREE_YEARS = draw(36, 4100, 0)
DAYS = days("2024-01-01", 56)
DAILY = draw(56, 130, 0, 7)
HOURS = draw(24 * 14, 50, 0, 24)
HOUR_SPANS = [
    [form.format(hour, hour + 1) for hour in range(24)]
    for form in ("{:02}:00\u2013{:02}:00", "{:02}:00 - {:02}:00", "{}-{}")
]
WEEK_DAYS = "Mo Di Mi Do Fr Sa So".split()  # noqa: SIM905
YEARS = range(1995, 2020)
YEARLY = draw(25, 70, 1)


MARKED = [*zip(months(2022, 1, 24), draw(24, 900), strict=True)]
CASES = [
    Case(
        "actual and plan across",
        to_text(
            "Account;Scenario;" + ";".join(f"{d:%m.%Y}" for d in SINCE),
            "Sales;Actual;" + ";".join(f"{v:.0f}" for v in HIGH),
            "Sales;Plan;" + ";".join(f"{v:.0f}" for v in LOW),
        ),
        {"Actual": HIGH, "Plan": LOW},
        first="2023-01-01",
    ),
    Case(
        "a row of units under the header",
        to_text(
            "Monat;Umsatz;Absatz",
            ";EUR;Stk",
            [f"{d:%m.%Y};{german(a)};{b:.0f}" for d, a, b in zip(SINCE, HIGH, LOW, strict=True)],
        ),
        {"Umsatz EUR": HIGH, "Absatz Stk": LOW},
        first="2023-01-01",
    ),
    Case(
        "weeks from day to day",
        listing("Week,Units", "{d} - {d},{v:.0f}", DAILY, days("2023-01-02", 56, 7)),
        {"Units": DAILY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "years with a thousands separator",
        to_text("Year,Rate", [f'"{y:,}",{v}' for y, v in zip(YEARS, YEARLY, strict=True)]),
        rejected="no column of dates",
    ),
    Case(
        "hours across, days down",
        to_text(
            "Date," + ",".join(f"H{h}" for h in range(1, 25)),
            [
                f"{DAYS[i]}," + ",".join(f"{v:.0f}" for v in HOURS[24 * i : 24 * i + 24])
                for i in range(14)
            ],
        ),
        {"value": HOURS},
        first="2024-01-01",
        frequency="Hours",
    ),
    Case(
        "hours across by the clock, days down",
        to_text(
            "Datum;" + ";".join(f"{h:02}:00" for h in range(24)),
            [
                f"{DAYS[i]:%d.%m.%Y};" + ";".join(f"{v:.0f}" for v in HOURS[24 * i : 24 * i + 24])
                for i in range(14)
            ],
        ),
        {"value": HOURS},
        first="2024-01-01",
        frequency="Hours",
    ),
    *(
        Case(
            f"hours from and to across, such as {names[9]}, with a total of the day",
            to_text(
                "Date;" + ";".join(names) + ";Total",
                [
                    f"{DAYS[i]};" + ";".join(f"{v:.0f}" for v in [*day, sum(day)])
                    for i, day in enumerate(zip(*[iter(HOURS)] * 24, strict=True))
                ],
            ),
            {"value": HOURS},
            first="2024-01-01",
            frequency="Hours",
        )
        for names in HOUR_SPANS
    ),
    Case(
        "days of the week across, weeks down",
        to_text(
            "KW;" + ";".join(WEEK_DAYS),
            [
                f"{i + 1}/2024;" + ";".join(f"{v:.0f}" for v in DAILY[7 * i : 7 * i + 7])
                for i in range(8)
            ],
        ),
        {"value": DAILY},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "days of the month across, months down",
        to_text(
            "Monat;" + ";".join(map(str, range(1, 32))),
            [
                ";".join(
                    [f"{m:02}.2024", *(f"{100 * m + k}" if k <= n else "" for k in range(1, 32))]
                )
                for m, n in ((1, 31), (2, 29), (3, 31))
            ],
        ),
        {"value": [float(100 * d.month + d.day) for d in days("2024-01-01", 91)]},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "two columns of names",
        to_text(
            "Region,Store,Date,Qty",
            [
                f"{r},{s},{d},{v + k:.0f}"
                for d, v in zip(SINCE, HIGH, strict=True)
                for k, (r, s) in enumerate((("N", "1"), ("N", "2"), ("S", "1"), ("S", "2")))
            ],
        ),
        {
            "N · 1": HIGH,
            "N · 2": [v + 1 for v in HIGH],
            "S · 1": [v + 2 for v in HIGH],
            "S · 2": [v + 3 for v in HIGH],
        },
        first="2023-01-01",
    ),
    Case(
        "long dates of Excel",
        to_text(
            "Date\tSales",
            [
                f"{d:%A}, {d:%B} {d.day}, {d.year}\t{v:.0f}"
                for d, v in zip(DAYS, DAILY, strict=True)
            ],
        ),
        {"Sales": DAILY},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "months such as 23-Jan",
        listing("Month,Sales", "{d:%y-%b},{v:.0f}", HIGH, SINCE),
        {"Sales": HIGH},
        first="2023-01-01",
        asks=("year",),
        then={"year": 2023},
    ),
    Case(
        "marks of footnotes",
        to_text(
            "Month,Sales",
            [
                f"{d:%Y-%m},{v:.0f}{'*' if i % 7 == 3 else '¹' if i % 9 == 4 else ''}"
                for i, (d, v) in enumerate(zip(SINCE, HIGH, strict=True))
            ],
        ),
        {"Sales": HIGH},
        first="2023-01-01",
    ),
    Case(
        "spaces in thousands, points as mark",
        to_text(
            "Month;Sales",
            [f"{d:%Y-%m};{number(v, '.', ' ')}" for d, v in zip(SINCE, HIGH, strict=True)],
        ),
        {"Sales": HIGH},
        first="2023-01-01",
    ),
    Case(
        "months counted across, the year in the title",
        to_text(
            "Umsatz 2023",
            "Filiale;1;2;3;4;5;6;7;8;9;10;11;12",
            "Wien;" + ";".join(f"{v:.0f}" for v in HIGH[:12]),
            "Graz;" + ";".join(f"{v:.0f}" for v in LOW[:12]),
        ),
        rejected="no column of dates",
    ),
    Case(
        "changes beside values",
        to_text(
            "Monat;Umsatz;Δ Vorjahr",
            [
                f"{d:%m/%Y};{german(v)};{'+' if i % 2 else '-'}{i % 9},5 %"
                for i, (d, v) in enumerate(zip(SINCE, HIGH, strict=True))
            ],
        ),
        {"Umsatz": HIGH, "Δ Vorjahr": [(1 if i % 2 else -1) * (i % 9 + 0.5) for i in range(24)]},
        first="2023-01-01",
    ),
    Case(
        "years such as 2009/10 across",
        to_text(
            "Region;" + ";".join(f"{y}/{(y + 1) % 100:02}" for y in range(2000, 2024)),
            "North;" + ";".join(f"{v:.0f}" for v in HIGH),
            "South;" + ";".join(f"{v:.0f}" for v in LOW),
        ),
        {"North": HIGH, "South": LOW},
        first="2000-01-01",
        frequency="Yearly",
    ),
    Case(
        "months of a budget marked (p), of which a footnote says that they are none of the past",
        to_text(
            "Mes;Ventas",
            [f"{d:%Y-%m}{' (p)' if i > 15 else ''};{v:.2f}" for i, (d, v) in enumerate(MARKED)],
        ),
        {"Ventas": [v for _, v in MARKED]},
        first="2022-01-01",
        says="The last 8 dates are marked “(p)”, and read like the others. If they are "
        "plans, send until=2023-04-01.",
    ),
    Case(
        "a laboratory's column in which most values are below the limit",
        to_text(
            "Datum;Nitrat mg/l;E. coli",
            [f"{d};{v:.1f};{'n.n.' if i % 3 else i}" for i, (d, v) in enumerate(MARKED)],
        ),
        {"Nitrat mg/l": [round(v, 1) for _, v in MARKED]},
        first="2022-01-01",
        says="Not read: “E. coli”; “n.n.” is not a number.",
    ),
    Case(
        "two exports of articles by number, with months that both have",
        to_text(
            "Month,Article,Pieces",
            [
                f"{d:%Y-%m},{article},{v + i:.0f}"
                for part in (MARKED[:14], MARKED[12:])
                for d, v in part
                for i, article in enumerate(("7290001", "7290002"))
            ],
        ),
        {
            "7290001": [float(f"{v:.0f}") for _, v in MARKED],
            "7290002": [float(f"{v + 1:.0f}") for _, v in MARKED],
        },
        first="2022-01-01",
        asks=("duplicates",),
        then={"duplicates": "last"},
    ),
    Case(
        "Vietnamese months below their years, as in a compact pivot table",
        to_text(
            "Tổng của Số lượng,Nhãn Cột,",
            "Nhãn Hàng,Gạo,Nếp",
            [
                row
                for year in (2023, 2024)
                for row in (
                    f"{year},{9 * year},{year}",
                    *(
                        f"Thg{d.month},{a:.0f},{b:.0f}"
                        for d, a, b in zip(SINCE, HIGH, LOW, strict=True)
                        if d.year == year
                    ),
                )
            ],
            "Tổng Cuối,99,98",
        ),
        {"Gạo": HIGH, "Nếp": LOW},
        first="2023-01-01",
    ),
    Case(
        "fiscal years down, months across with a word for none and a total, and a table below",
        to_text(
            [
                line
                for title, values in (("A. Patients", THREE_YEARS), ("B. Beds", draw(36)))
                for line in (
                    title + 13 * ",",
                    "Year,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,Jan,Feb,Mar,Total",
                    *(
                        f"{2021 + i}-{22 + i} *,"
                        + ",".join(
                            "NR" if (i, k) == (1, 4) else f"{v:.0f}"
                            for k, v in enumerate(values[12 * i : 12 * i + 12])
                        )
                        + f",{sum(values[12 * i : 12 * i + 12]):.0f}"
                        for i in range(3)
                    ),
                )
            ],
        ),
        {"value": [*THREE_YEARS[:16], *THREE_YEARS[17:]]},
        first="2021-04-01",
        says="Another table begins in line 7: only the first is read.",
    ),
    Case(
        "days of a season down, seasons across, and a row of sums",
        to_text(
            "Tag;2021/22;2022/23",
            [f"{d:%d.%m.};{1000 + i};{2000 + i}" for i, d in enumerate(days("2021-12-15", 60))],
            "Summe;61770;121770",
        ),
        {"value": [float(base + i) for base in (1000, 2000) for i in range(60)]},
        first="2021-12-15",
        frequency="Daily",
    ),
    Case(
        "fiscal years above quarters, with their totals",
        to_text(
            "Operating data" + 10 * ",",
            ",FY2022,,,,,FY2023,,,,",
            2 * ",Q1,Q2,Q3,Q4,FY",
            "SALES" + 10 * ",",
            "North,1,2,3,4,10,5,6,7,8,26",
            "South,2,3,4,5,14,6,7,8,9,30",
        ),
        {"North": [float(i) for i in range(1, 9)], "South": [float(i) for i in range(2, 10)]},
        first="2021-04-01",
        frequency="Quarterly",
        asks=("start",),
        then={"start": dt.date(2021, 4, 1)},
        says="Left out, beside the periods: FY.",
    ),
    Case(
        "formats below the names, and the number of a station",
        to_text(
            "# Daily values",
            "agency\tstation\tday\tflow",
            "5s\t15s\t20d\t14n",
            [f"USGS\t05379999\t{d}\t{v:.0f}" for d, v in zip(DAYS, DAILY, strict=True)],
        ),
        {"flow": DAILY},
        first="2024-01-01",
        frequency="Daily",
    ),
]
