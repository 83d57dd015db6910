"""Tables of trades that count their periods in their own ways.

The makers: NHS England, a school kitchen (Finland), a forwarder (Germany), a till (Brazil), HOBO
loggers, a payroll bureau and the tide gauges of UHSLC (United States), a company by fiscal years
(Japan), a shop (Thailand), Excel's pivot tables.
"""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, months, number, spreadsheet, to_text

QUARTERLY, OTHER = draw(20, 98_000, 0, 4), draw(20, 88_000, 0, 4)
SINCE, MONTHLY, WEST = months(2021, 4, 36), draw(36, 1400, 0), draw(36, 300, 0)
WEEKS, LANES = days("2023-09-04", 30, 7), draw(30, 120, 0, 13)
SCHOOL_DAYS = [day for day in days("2024-01-08", 60) if day.weekday() < 5]
MEALS = draw(len(SCHOOL_DAYS), 400, 0, 5)
DAYS, SOLD = days("2024-02-01", 60), draw(60, 1800, 2, 7)
QUARTER_HOURS = [dt.datetime(2024, 5, 12, 14, 15) + dt.timedelta(minutes=15 * i) for i in range(96)]
WARMTH = draw(96, 70, 3, 96)
HOURS = [dt.datetime(2024, 3, 1) + dt.timedelta(hours=i) for i in range(96)]
TIDE = draw(96, 1500, 0)
THAI = "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.".split()  # noqa: SIM905
BRAZIL = "jan fev mar abr mai jun jul ago set out nov dez".split()  # noqa: SIM905
FINNISH = ["ma", "ti", "ke", "to", "pe"]
FROM_APRIL = [4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3]
GROSS = draw(48, 85_000)
HALVES = [
    (first, last)
    for begin, following in zip(months(2023, 1, 24), months(2023, 2, 24), strict=True)
    for first, last in (
        (begin, begin.replace(day=15)),
        (begin.replace(day=16), following - dt.timedelta(1)),
    )
]
ENGLISH = [f"{dt.date(2024, month, 1):%b}" for month in FROM_APRIL]


def table_by_year(labels: list[str], names: list[str]) -> str:
    """Return months across and years down."""
    rows = [[f"{v:.0f}" for v in MONTHLY[12 * i : 12 * i + 12]] for i in range(len(labels))]
    return to_text(
        "\t".join(["Year", *names]),
        ["\t".join([label, *row]) for label, row in zip(labels, rows, strict=True)],
    )


def pivot() -> bytes:
    """Return years, quarters and months in one column, with the totals of years and quarters."""
    rows: list[list[object]] = [["Row Labels", "East", "West"]]
    for year in range(3):
        span = slice(12 * year, 12 * year + 12)
        rows.append([2022 + year, sum(MONTHLY[span]), sum(WEST[span])])
        for month in range(12 * year, 12 * year + 12):
            if month % 3 == 0:
                span = slice(month, month + 3)
                rows.append([f"Qtr{month % 12 // 3 + 1}", sum(MONTHLY[span]), sum(WEST[span])])
            rows.append([f"{dt.date(2022, month % 12 + 1, 1):%b}", MONTHLY[month], WEST[month]])
    return spreadsheet([*rows, ["Grand Total", sum(MONTHLY), sum(WEST)]])


CASES = [
    Case(
        "quarters of years from April",
        to_text(
            "Year,Period,Org Code,Available,Occupied",
            [
                f"{2018 + i // 4}-{19 + i // 4},Q{i % 4 + 1},ENG,{a:.0f},{b:.0f}"
                for i, (a, b) in enumerate(zip(QUARTERLY, OTHER, strict=True))
            ],
        ),
        {"Available": QUARTERLY, "Occupied": OTHER},
        first="2018-04-01",
        frequency="Quarterly",
        asks=("start",),
        then={"start": dt.date(2018, 4, 1)},
    ),
    Case(
        "years from April, months across",
        table_by_year(["2021/22", "2022/23", "2023/24"], ENGLISH),
        {"value": MONTHLY},
        first="2021-04-01",
    ),
    Case(
        "years from April that do not say in which year they begin",
        table_by_year(["2022", "2023", "2024"], ENGLISH),
        {"value": MONTHLY},
        first="2021-04-01",
        asks=("start",),
        then={"start": dt.date(2021, 4, 1)},
    ),
    Case(
        "Japanese fiscal years of an era",
        to_text(
            "年度\t" + "\t".join(f"{month}月" for month in FROM_APRIL) + "\t合計",
            [
                f"令和{3 + i}年度\t"
                + "\t".join(f"{v:,.0f}" for v in MONTHLY[12 * i : 12 * i + 12])
                + f"\t{sum(MONTHLY[12 * i : 12 * i + 12]):,.0f}"
                for i in range(3)
            ],
        ),
        {"value": MONTHLY},
        first="2021-04-01",
        says="合計",
    ),
    Case(
        "days of the week in Finnish before dates",
        to_text(
            "Päivä;Ateriat",
            [
                f"{FINNISH[d.weekday()]} {d.day}.{d.month}.{d.year};{v:.0f}"
                for d, v in zip(SCHOOL_DAYS, MEALS, strict=True)
            ],
        ),
        {"Ateriat": MEALS},
        first="2024-01-08",
        frequency="Daily",
    ),
    Case(
        "days of the week in Japanese behind dates",
        to_text(
            "日付,来客",
            [
                f"{d:%Y/%m/%d}({'月火水木金土日'[d.weekday()]}),{v}"
                for d, v in zip(DAYS, SOLD, strict=True)
            ],
        ),
        {"来客": SOLD},
        first="2024-02-01",
        frequency="Daily",
    ),
    Case(
        "Korean months",
        to_text(
            "월,매출",
            [f'{d.year}년 {d.month}월,"{v:,.0f}"' for d, v in zip(SINCE, MONTHLY, strict=True)],
        ),
        {"매출": MONTHLY},
        first="2021-04-01",
    ),
    Case(
        "calendar weeks across a turn of the year",
        to_text(
            "Lane\tUnit\t" + "\t".join(f"CW{d:%V}/{d:%y}" for d in WEEKS),
            [
                f"{lane}\tPAL\t" + "\t".join(f"{v:.0f}" for v in LANES)
                for lane in ("Hamburg-Gdańsk", "Antwerp-Brno")
            ],
        ),
        {"Hamburg-Gdańsk": LANES, "Antwerp-Brno": LANES},
        first="2023-09-04",
        frequency="Weekly",
    ),
    Case(
        "Brazilian days with slashes around the month's name",
        to_text(
            "Data;Venda",
            [
                f"{d.day:02}/{BRAZIL[d.month - 1]}/{d.year};R$ {number(v, ',', '.')}"
                for d, v in zip(DAYS, SOLD, strict=True)
            ],
        ),
        {"Venda": SOLD},
        first="2024-02-01",
        frequency="Daily",
    ),
    Case(
        "HOBO: a header that begins like a comment",
        to_text(
            '"Plot Title: Dock 7"',
            '"#","Date Time, GMT-05:00","Temp, °F","Coupler Attached"',
            [
                f"{i},{t:%m/%d/%y %I:%M:%S %p},{v},"
                for i, (t, v) in enumerate(zip(QUARTER_HOURS, WARMTH, strict=True), 1)
            ],
        ),
        {"Temp, °F": WARMTH},
        first="2024-05-12T14:15",
        frequency="Minutes",
    ),
    Case(
        "a commented header",
        to_text(
            "# made by hand", "# date;level", [f"{d};{v}" for d, v in zip(DAYS, SOLD, strict=True)]
        ),
        {"level": SOLD},
        first="2024-02-01",
        frequency="Daily",
    ),
    Case(
        "halves of months, and when they are paid",
        to_text(
            "Pay Period,Check Date,Gross Pay",
            [
                f'{a:%m/%d/%Y} - {b:%m/%d/%Y},{b + dt.timedelta(5):%m/%d/%Y},"${v:,.2f}"'
                for (a, b), v in zip(HALVES, GROSS, strict=True)
            ],
        ),
        {"Gross Pay": [a + b for a, b in zip(GROSS[::2], GROSS[1::2], strict=True)]},
        first="2023-01-01",
        says="irregular",
        then={"per": "month-total"},
    ),
    Case(
        "parts of dates without names, and the least integer for a gap",
        to_text(
            [
                f"{t.year},{t.month},{t.day},{t.hour},{-32767 if i in (7, 8) else int(v)}"
                for i, (t, v) in enumerate(zip(HOURS, TIDE, strict=True))
            ]
        ),
        {"Column 5": [v for i, v in enumerate(TIDE) if i not in (7, 8)]},
        first="2024-03-01",
        frequency="Hours",
        says="-32767",
    ),
    Case(
        "Thai months with Buddhist years of two digits",
        to_text(
            "เดือน,ยอดขาย",
            [
                f'{THAI[d.month - 1]} {(d.year + 543) % 100},"{v:,.0f}"'
                for d, v in zip(SINCE, MONTHLY, strict=True)
            ],
        ),
        {"ยอดขาย": MONTHLY},
        first="2021-04-01",
        says="Buddhist",
    ),
    Case(
        "years, quarters and months in one column",
        pivot(),
        {"East": MONTHLY, "West": WEST},
        first="2022-01-01",
    ),
    Case(
        "months counted from an answer",
        to_text("Month,Units", [f"{i},{v:.0f}" for i, v in enumerate(LANES, 1)]),
        {"Units": LANES},
        first="2024-01-01",
        asks=("start",),
        then={"start": dt.date(2024, 1, 1)},
    ),
]
