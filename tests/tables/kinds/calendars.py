"""Weeks, years and digits of many calendars and programs."""

import datetime as dt

from tests.tables.kinds.case import (
    Case,
    days,
    draw,
    german,
    listing,
    month_ends,
    months,
    number,
    to_text,
)

SINCE = months(2023, 1, 24)
HIGH = draw(24, 4100)
SALES = draw(24, 5200, 0)
DAYS = days("2024-01-01", 60)
DAILY = draw(60, 130, 0, 7)
WEEKS = days("2023-01-02", 60, 7)
WEEKLY = draw(60, 800, 0)
YEARS = range(1990, 2020)
YEARLY = draw(30, 70, 1)
COUNTS = [*map(int, DAILY[:20]), 1971, *map(int, DAILY[21:])]
SLIP = [*YEARS[:5], 2543, *YEARS[6:]]
HALF_HOURS = [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=30 * i) for i in range(96)]
LOAD = draw(96, 0.4, 3, 48)
SHORT_MONTHS = {
    "English": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Slovenian": "jan feb mar apr maj jun jul avg sep okt nov dec",
}
WEEKS_ACROSS = [
    Case(
        f"weeks such as {label}1 across and years down",
        to_text(
            ",".join(["Year", *(f"{label}{week}" for week in range(1, 53))]),
            [",".join([f"{2022 + i}", *([f"{30 + i}"] * 52)]) for i in range(3)],
        ),
        {"value": [30.0] * 52 + [31.0] * 52 + [32.0] * 52},
        "2022-01-03",
        "Weekly",
    )
    for label in ("W", "S", "KW ")
]


def serial(day: dt.date) -> int:
    return (day - dt.date(1899, 12, 30)).days


def averages_across(language: str, short: str) -> Case:
    """Return months side by side with their average."""
    names = SHORT_MONTHS[language].split()
    rows = [",".join(map(str, [2023 + i, *SALES[12 * i :][:12], 7])) for i in range(2)]
    return Case(
        f"months in {language} beside {short}",
        to_text(",".join(["Year", *names, short]), rows),
        {"value": SALES},
        "2023-01-01",
    )


def averages_below(short: str) -> Case:
    """Return months below each other in two years, with their averages."""
    names = SHORT_MONTHS["English"].split()
    rows = [f"{name},{SALES[i]:.0f},{SALES[12 + i]:.0f}" for i, name in enumerate(names)]
    return Case(
        f"months above {short}",
        to_text("Month,2023,2024", rows, f"{short},610,620"),
        {"value": SALES},
        "2023-01-01",
    )


AVERAGES = [
    averages_across("English", "Avg"),
    averages_across("English", "AVG."),
    averages_across("English", "Med"),
    averages_across("Slovenian", "Povp"),
    averages_below("avg"),
    averages_below("Med"),
]


CASES = [
    Case(
        "serial days as text, at the ends of months",
        to_text(
            "Period;Amount",
            [f"{serial(d)};{v:.0f}" for d, v in zip(month_ends(2023, 1, 24), SALES, strict=True)],
        ),
        {"Amount": SALES},
        first="2023-01-31",
    ),
    Case(
        "Persian digits and marks",
        to_text(
            "تاریخ;مبلغ",
            [
                f"{d};{number(v, '٫', '٬')}".translate(str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹"))
                for d, v in zip(DAYS[:24], HIGH, strict=True)
            ],
        ),
        {"مبلغ": HIGH},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "digits of India",
        to_text(
            "माह\tराशि",
            [
                f"{d:%m/%Y}\t{v:.0f}".translate(str.maketrans("0123456789", "०१२३४५६७८९"))
                for d, v in zip(SINCE, SALES, strict=True)
            ],
        ),
        {"राशि": SALES},
        first="2023-01-01",
    ),
    Case(
        "weeks such as KW05/23",
        listing("Woche;Menge", "KW{d:%V}/{d:%y};{v:.0f}", WEEKLY, WEEKS),
        {"Menge": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "weeks such as Week 5, 2023",
        to_text(
            "Week\tUnits",
            [f"Week {int(f'{d:%V}')}, {d:%G}\t{v:.0f}" for d, v in zip(WEEKS, WEEKLY, strict=True)],
        ),
        {"Units": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "weeks as six digits",
        listing("CalWeek,Units", "{d:%G%V},{v:.0f}", WEEKLY, WEEKS),
        {"Units": WEEKLY},
        first="2023-01-02",
        frequency="Weekly",
    ),
    Case(
        "tax years such as 2019/20",
        to_text(
            "Tax year,Receipts",
            [f"{y}/{(y + 1) % 100:02},{v}" for y, v in zip(YEARS, YEARLY, strict=True)],
        ),
        {"Receipts": YEARLY},
        first="1990-01-01",
        frequency="Yearly",
    ),
    Case(
        "years down and quarters across",
        to_text(
            "Year,Q1,Q2,Q3,Q4",
            [
                f"{2018 + y}," + ",".join(f"{v:.0f}" for v in SALES[4 * y : 4 * y + 4])
                for y in range(6)
            ],
        ),
        {"value": SALES},
        first="2018-01-01",
        frequency="Quarterly",
    ),
    Case(
        "months down and years across",
        to_text(
            "Month,2023,2024",
            [f"{SINCE[m]:%B},{SALES[m]:.0f},{SALES[m + 12]:.0f}" for m in range(12)],
        ),
        {"value": SALES},
        first="2023-01-01",
    ),
    Case(
        "Hijri years",
        to_text(
            "شهر;عدد", [f"{1444 + i // 12}-{i % 12 + 1:02};{v:.0f}" for i, v in enumerate(SALES)]
        ),
        {"عدد": SALES},
        first="1444-01",
        says="Hijri",
    ),
    Case(
        "days of Buddhist years, with a leap day",
        to_text(
            "วันที่,ยอดขาย",
            [
                f"{d:%d/%m}/{d.year + 543},{v:.0f}"
                for d, v in zip(days("2024-01-20", 60), DAILY, strict=True)
            ],
        ),
        {"ยอดขาย": DAILY},
        first="2024-01-20",
        frequency="Daily",
        says="Buddhist",
    ),
    Case(
        "a year mistyped as 2543 is not a Buddhist one",
        to_text("date,sold", [f"{y}-06-30,{v}" for y, v in zip(SLIP, YEARLY, strict=True)]),
        {"sold": [*YEARLY[:5], *YEARLY[6:], YEARLY[5]]},
        first="1990-06-30",
        frequency="Yearly",
        asks=("until",),
        then={"until": dt.date(2543, 6, 30)},
        says="Missing: 524 values from 1995-06-30 to 2542-06-30.",
    ),
    Case(
        "months of Thailand",
        to_text(
            "เดือน,ยอดขาย",
            [
                f"{m} {2566 + y},{SALES[12 * y + i]:.0f}"
                for y in range(2)
                for i, m in enumerate(
                    [
                        "ม.ค.",
                        "ก.พ.",
                        "มี.ค.",
                        "เม.ย.",
                        "พ.ค.",
                        "มิ.ย.",
                        "ก.ค.",
                        "ส.ค.",
                        "ก.ย.",
                        "ต.ค.",
                        "พ.ย.",
                        "ธ.ค.",
                    ]
                )
            ],
        ),
        {"ยอดขาย": SALES},
        first="2023-01-01",
    ),
    Case(
        "Power BI: a date in four columns",
        listing(
            "Year,Quarter,Month,Day,Sum of Sales",
            "{d:%Y},Qtr 1,{d:%B},{d.day},{v:.0f}",
            DAILY,
            DAYS,
        ),
        {"Sum of Sales": DAILY},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "years only on their first rows",
        to_text(
            "Jahr;Monat;Umsatz",
            [
                f"{d.year if d.month == 1 else ''};{d.month};{german(v)}"
                for d, v in zip(SINCE, HIGH, strict=True)
            ],
        ),
        {"Umsatz": HIGH},
        first="2023-01-01",
    ),
    Case(
        "JavaScript's dates with a comma",
        listing("time\tvalue", "{d:%m/%d/%Y, %I:%M:%S %p}\t{v}", LOAD, HALF_HOURS),
        {"value": LOAD},
        first="2024-01-01",
        frequency="Minutes",
    ),
    Case(
        "years with an apostrophe",
        to_text(
            "Month,Units", [f"{d:%b}'{d:%y},{v:.0f}" for d, v in zip(SINCE, SALES, strict=True)]
        ),
        {"Units": SALES},
        first="2023-01-01",
    ),
    Case(
        "eras of Japan",
        to_text(
            "年月,売上",
            [
                f"令和{d.year - 2018}年{d.month}月,{v:.0f}"
                for d, v in zip(SINCE, SALES, strict=True)
            ],
        ),
        {"売上": SALES},
        first="2023-01-01",
    ),
    Case(
        "years with two columns of counts that could be months and days",
        listing("Season,Wins,Goals,Points", "{d},{i},{i},{v}", YEARLY[:12], YEARS[:12]),
        {"Wins": range(12), "Goals": range(12), "Points": YEARLY[:12]},
        "1990-01-01",
        "Yearly",
    ),
    Case(
        "counts before dates, one of which looks like a year",
        to_text([f"{v:>7} {d:%d/%b/%Y}" for d, v in zip(DAYS, COUNTS, strict=True)]),
        {"Column 1": COUNTS},
        "2024-01-01",
        "Daily",
    ),
    *AVERAGES,
    *WEEKS_ACROSS,
    Case(
        "years with columns V1 to V3, which are too few for weeks",
        listing("Year,V1,V2,V3", "{d},{v},{i},{i}", YEARLY, YEARS),
        {"V1": YEARLY, "V2": range(30), "V3": range(30)},
        "1990-01-01",
        "Yearly",
    ),
]
