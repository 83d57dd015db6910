"""Reports with more than one row of headers, subtotals, keys, and rows that may not count."""

import datetime as dt

from app.tables.answers import PeriodAggregation
from tests.tables.kinds.case import Case, days, draw, month_ends, months, to_text
from tests.tables.tables import workbook

SINCE = months(2023, 1, 24)
SALES, PIECES = draw(24, 47_000), draw(24, 60, 0)
OTHER_SALES, OTHER_PIECES = draw(24, 9000), draw(24, 12, 0)
GDP = draw(42, 21_000, 3, period=4)
RATE = draw(124, 5, 1)
DEBTS = [v - 1150 for v in draw(24, 1000)]
SIGN = 1 if sum(v > 0 for v in DEBTS) > 12 else -1  # of debits, which most are or are not
CHAIRS, TABLES = draw(24, 430, 0), draw(24, 160, 0)
PARTS = ("4711-01", "4711-02", "4711-09")
DEMAND = [0 if i % 3 and i % 7 and i < 23 else 2 + i % 5 for i in range(24)]
OFFERED = draw(88, 40, 0, period=22)
CHARGES = draw(40, 55, 0, period=7)
PLAN_FROM = 21
COLD = draw(41, 3, 2, period=41)
SERIALS = [str(44_562 + (d - dt.date(2022, 1, 1)).days) for d in month_ends(2023, 1, 24)]
TURKISH = [
    "Ocak",
    "Şubat",
    "Mart",
    "Nisan",
    "Mayıs",
    "Haziran",
    "Temmuz",
    "Ağustos",
    "Eylül",
    "Ekim",
    "Kasım",
    "Aralık",
]
CHINESE = ["库存现金", "应收账款"]
CASH, DUES = draw(24, 30_000), draw(24, 850_000)


def pairs(first: list[float], second: list[float]) -> list[float]:
    """Return the values of two measures, month by month."""
    return [value for pair in zip(first, second, strict=True) for value in pair]


def sums(*columns: list[float]) -> list[float]:
    return [round(sum(values), 2) for values in zip(*columns, strict=True)]


def measures() -> bytes:
    merged = [cell for month in SINCE for cell in (f"{month:%m.%Y}", None)]
    headers = [["Net sales", "Qty"] * 24, ["EUR", "PC"] * 24]
    rows = [
        ["PUMP", "000004711", "CR 32", *pairs(SALES, PIECES)],
        [None, "000004712", "CM 5", *pairs(OTHER_SALES, OTHER_PIECES)],
        ["PUMP", "Result", None, *pairs(sums(SALES, OTHER_SALES), sums(PIECES, OTHER_PIECES))],
    ]
    header = ["Material group", "Material", "Cal. month", *merged]
    return workbook({"Table": [header, *([None, None, None, *row] for row in headers), *rows]})


def actual_and_forecast() -> bytes:
    header: list[object] = [None]
    kinds: list[object] = [None]
    chairs: list[object] = ["Chairs"]
    for i, month in enumerate(SINCE):
        header.append(f"{month:%Y-%m}")
        kinds.append("Actual" if i < PLAN_FROM else "Forecast")
        chairs.append(CHAIRS[i])
        if i % 3 == 2:
            header.append(f"Q{i // 3 % 4 + 1} {month:%y}")
            kinds.append(None)
            chairs.append(sum(CHAIRS[i - 2 : i + 1]))
    tables = [TABLES[len(header) % 3] if cell is None else 100 + i for i, cell in enumerate(kinds)]
    return workbook({"P&L": [header, kinds, ["Revenue"], chairs, ["Costs", *tables[1:]]]})


def interval_report() -> list[str]:
    rows = []
    for i, day in enumerate(days("2024-03-04", 4)):
        for slot in range(22):
            start, end = 16 + slot, 17 + slot
            clock = f"{start // 2:02}:{start % 2 * 30:02} - {end // 2:02}:{end % 2 * 30:02}"
            rows.append(f"{'' if slot else day},{clock},{OFFERED[22 * i + slot]:.0f}")
        rows.append(f"Total,,{sum(OFFERED[22 * i : 22 * i + 22]):.0f}")
    return rows


def parts_row(name: str) -> str:
    return f"{name},Seal kit," + ",".join(str(v or "") for v in DEMAND)


CASES = [
    Case(
        "two measures below each month, with subtotals",
        measures(),
        {"CR 32": SALES, "CM 5": OTHER_SALES},
        first="2023-01-01",
        asks=("columns",),
        then={"columns": ("Net sales EUR",)},
        says="Left out “Result”: a total of other rows.",
    ),
    Case(
        "months with quarters between them, the last ones forecast",
        actual_and_forecast(),
        {
            "Chairs": CHAIRS[:PLAN_FROM],
            "Costs": [101 + i + i // 3 for i in range(PLAN_FROM)],
        },
        first="2023-01-01",
        asks=("until",),
        then={"until": dt.date(2024, 9, 1)},
        says="The last 3 dates are marked “Forecast”",
    ),
    Case(
        "a quarterly column among monthly ones",
        to_text(
            "observation_date,GDP,UNRATE",
            [
                f"{d},{'' if i % 3 else GDP[i // 3]},{RATE[i]}"
                for i, d in enumerate(months(2014, 1, 124))
            ],
        ),
        {"GDP": GDP, "UNRATE": RATE},
        first="2014-01-01",
        frequency="Quarterly",
        says="“GDP” has a value every 1 quarter",
    ),
    Case(
        "a ledger with its opening balance",
        to_text(
            "Particulars,Transactions,,Closing",
            ",Debit,Credit,Balance",
            'Opening Balance,,,"8,45,210.50 Dr"',
            [
                f'{d:%b-%y},{s},{o},"{abs(v):.2f} {"Cr" if v < 0 else "Dr"}"'
                for d, s, o, v in zip(SINCE, SALES, OTHER_SALES, DEBTS, strict=True)
            ],
        ),
        {
            "Transactions Debit": SALES,
            "Transactions Credit": OTHER_SALES,
            "Closing Balance": [
                round(v if sum(x > 0 for x in DEBTS) > 12 else -v, 2) for v in DEBTS
            ],
        },
        first="2023-01-01",
        says="“Opening Balance” is not a date",
    ),
    Case(
        "balances of accounts in GB18030, with a total each month",
        to_text(
            "科目余额表",
            "编制单位:宁波海舟电器有限公司,,币别:人民币",
            "会计期间,科目代码,科目名称,期末余额",
            [
                row
                for d, cash, due in zip(SINCE, CASH, DUES, strict=True)
                for row in (
                    f"{d:%Y}年第{d.month}期,1001,{CHINESE[0]},{cash}",
                    f"{d:%Y}年第{d.month}期,1122,{CHINESE[1]},{due}",
                    f"{d:%Y}年第{d.month}期,,合计,{cash + due:.2f}",
                )
            ],
        ).encode("gb18030"),
        {CHINESE[0]: CASH, CHINESE[1]: DUES},
        first="2023-01-01",
        says="were read as GB18030",
    ),
    Case(
        "Eurostat's quarters with colons and flags",
        to_text(
            "\t".join(["geo\\TIME_PERIOD", *(f"{d:%Y}-Q{d.month // 3 + 1} " for d in SINCE[::3])]),
            "\t".join(["DE", *(f"{v} p" if i > 6 else f"{v} " for i, v in enumerate(SALES[:8]))]),
            "\t".join(["HR", *(f"{v} " if i > 1 else ": " for i, v in enumerate(CASH[:8]))]),
        ),
        {"DE": SALES[:8], "HR": CASH[2:8]},
        first="2023-01-01",
        frequency="Quarterly",
        says="Letters after values",
    ),
    Case(
        "half-hours with the date in merged cells",
        to_text("Contact centre", "Date,Interval,Offered", interval_report()),
        {"Offered": OFFERED},
        first="2024-03-04T08:00:00",
        frequency="Minutes",
        says="Each “Date” is that of the rows below it",
    ),
    Case(
        "charges of which some failed, with an id",
        to_text(
            "Order ID,day,amount,status",
            [
                f"{104_729 + 7 * i},{d},{v:.0f},{'failed' if i % 9 == 4 else 'succeeded'}"
                for i, (d, v) in enumerate(zip(days("2024-01-01", 40), CHARGES, strict=True))
            ],
        ),
        {"amount": CHARGES},
        first="2024-01-01",
        frequency="Daily",
        says="“status” has “failed” in 4 rows: they count like the others.",
    ),
    Case(
        "spare parts whose numbers look like months, empty where none was sold",
        to_text(
            "Part no.,Description," + ",".join(f"{d:%Y-%m}" for d in SINCE),
            [parts_row(name) for name in ("4711-01", "4711-02", "4711-09")],
        ),
        dict.fromkeys(("4711-01", "4711-02", "4711-09"), DEMAND),
        first="2023-01-01",
        says="Missing: ",
        then={"fill": "zero"},
    ),
    Case(
        "families of products and their total across",
        to_text(
            "Product family," + ",".join(f"{d:%b-%y}" for d in SINCE),
            "Chairs," + ",".join(f"{v:.0f}" for v in CHAIRS),
            "Tables," + ",".join(f"{v:.0f}" for v in TABLES),
            "Total," + ",".join(f"{v:.0f}" for v in sums(CHAIRS, TABLES)),
        ),
        {"Chairs": CHAIRS, "Tables": TABLES},
        first="2023-01-01",
        says="Left out “Total”: a total of other rows.",
    ),
    Case(
        "two tables in one file",
        to_text(
            "# Start date: 20240101",
            "Nth day,Active users",
            [f"{i:04},{v:.0f}" for i, v in enumerate(CHARGES)],
            "# Start date: 20240101",
            "Nth day,New users",
            [f"{i:04},{v - 9:.0f}" for i, v in enumerate(CHARGES)],
            "# Start date: 20240101",
            "Channel,New users",
            "Direct,18876",
        ),
        {"Active users": [round(v) for v in CHARGES]},
        first="2024-01-01",
        frequency="Daily",
        says="Another table begins in line 44: only the first is read.",
    ),
    Case(
        "ends of months as serial numbers across, below numbers of cost centres",
        to_text(
            "Cost Center,Org," + ",".join(SERIALS),
            "70010,Engineering," + ",".join(f"{v:.0f}" for v in CHAIRS),
            "70020,Sales," + ",".join(f"{v:.0f}" for v in TABLES),
            "Total headcount,," + ",".join(f"{v:.0f}" for v in sums(CHAIRS, TABLES)),
        ),
        {"Engineering": CHAIRS, "Sales": TABLES},
        first="2023-01-31",
        says="Left out “Total headcount”: a total of other rows.",
    ),
    Case(
        "two thermometers that take turns, with a fault",
        to_text(
            "ts,device_id,temp_c",
            [
                f"{1_714_953_600 + 600 * i + 300 * sensor},{40_021 + sensor},{value}"
                for i in range(40)
                for sensor, value in enumerate((COLD[i], -127 if i == 11 else COLD[i + 1]))
            ],
        ),
        {"40021": COLD[:40], "40022": [*COLD[1:12], *COLD[13:41]]},
        first="2024-05-06T00:00:00Z",
        frequency="Minutes",
        says="-127 in “temp_c”",
        then={"per": PeriodAggregation.NONE},
    ),
    Case(
        "a hotel's years in merged cells, with totals and a note",
        to_text(
            "Yıl;Ay;Satılan Oda;Doluluk %",
            [
                row
                for i, d in enumerate(SINCE)
                for row in (
                    f"{d.year if i % 12 == 0 else ''};{TURKISH[i % 12]};{CHAIRS[i]};%{RATE[i]}",
                    *([f"{d.year} Toplam;;9999;"] if d.month == 12 else []),
                )
            ],
            "Rapor tarihi 3 Ekim;;;",
        ),
        {"Satılan Oda": CHAIRS, "Doluluk %": RATE[:24]},
        first="2023-01-01",
        says="Each “Yıl” is that of the rows below it, too.",
    ),
    Case(
        "services in merged cells, with subtotals of each",
        to_text(
            "Service;Mois;Entrées",
            [
                row
                for name, values in (("Chirurgie", SALES), ("Maternité", CHAIRS))
                for i, (d, v) in enumerate(zip(SINCE[:24], values, strict=False))
                for row in (
                    f"{name if i == 0 else ''};{d.month:02}/{d.year};{v}",
                    *([f"Sous-total {name};;99999"] if i == 23 else []),
                )
            ],
            "TOTAL MCO;;199999",
        ),
        {"Chirurgie": SALES[:24], "Maternité": CHAIRS[:24]},
        first="2023-01-01",
        says="Each “Service” is that of the rows below it, too.",
    ),
    Case(
        "intervals of a call centre with AM and PM, beside handle times",
        to_text(
            "Date,Interval,Offered,Avg Handle Time",
            [
                f"11/{12 + i // 8}/2025,{8 + i % 8 if i % 8 < 5 else i % 8 - 4}:00 "
                f"{'AM' if i % 8 < 4 else 'PM'} - {9 + i % 8 if i % 8 < 4 else i % 8 - 3}:00 "
                f"{'AM' if i % 8 < 3 else 'PM'},{v},00:0{4 + i % 4}:{10 + i}"
                for i, v in enumerate(OFFERED[:24])
            ],
        ),
        {
            "Offered": OFFERED[:24],
            "Avg Handle Time": [(4 + i % 4) / 60 + (10 + i) / 3600 for i in range(24)],
        },
        first="2025-11-12T08:00:00",
        frequency="Hours",
        says="Dates are in 2 columns: Date, Interval.",
    ),
    Case(
        "orders whose names begin with a number sign",
        to_text(
            "Name,Created at,Total",
            [f"#{1001 + i},{d},{v}" for i, (d, v) in enumerate(zip(SINCE, SALES, strict=True))],
        ),
        {"Total": SALES},
        first="2023-01-01",
    ),
]
