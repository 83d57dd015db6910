"""Exports of programs, written with their right answers before anybody looked at how they are read.

The makers: a hotel's PMS (Spain), Shopify (Canada), Google Analytics 4 (Switzerland), DATEV and SAP
(Germany), a school's MIS (United Kingdom), ESB Networks (Ireland), a POS (Italy), CEMIG (Brazil),
Deutscher Wetterdienst, the Office for National Statistics, NetSuite (United States), a bakery's
workbook (Poland), a library's sheet (Finland), Fitbit.
"""

import datetime as dt
import io
import json

import xlsxwriter

from tests.tables.kinds.case import (
    Case,
    days,
    draw,
    german,
    month_ends,
    months,
    spreadsheet,
    to_text,
)

SUMMER, AUTUMN = days("2025-07-01", 92), days("2025-09-01", 61)
OCCUPIED, INCOME = draw(92, 80, 0, 7), draw(92, 9000, 2, 7)
ORDERS, BEFORE = draw(61, 40, 0, 7), draw(61, 900, 2, 7)
ENDS, AMOUNT, PIECES = month_ends(2022, 11, 36), draw(36, 40_000), draw(36, 1300, 0)
AMOUNT[9], PIECES[9] = -3273.75, -31
CLOSINGS = [day for day in days("2025-07-01", 120) if day.weekday()]  # but Mondays
TAKINGS, RECEIPTS = draw(len(CLOSINGS), 1100, 2, 6), draw(len(CLOSINGS), 70, 0, 6)
BILLED, CONSUMED, LENGTHS = months(2024, 10, 13), draw(13, 230, 0), draw(13, 29, 0)
WARM, RAIN = draw(150, 14, 1, 150), draw(150, 2, 1, 30)
GAPS = (41, 42, 121)
QUARTERS = draw(28, 520_000, 0, 4)
FISCAL, SALES, CREDITS = months(2022, 10, 36), draw(36, 184_000), draw(36, 2600)
HALF_HOURS = [dt.datetime(2025, 11, 10, 0, 30) + dt.timedelta(minutes=30 * i) for i in range(240)]
IMPORTED, EXPORTED = draw(240, 0.4, 3, 48), draw(240, 0.9, 3, 48)
WEEKS = days("2023-09-04", 20, 7)
ATTENDED = draw(20, 70, 1)
CLOSED = (7, 16)  # half term, Christmas
LOANS = draw(58, 2100, 0)
FINNISH = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu".split()  # noqa: SIM905
PLAN, DONE = draw(30, 40_000), draw(30, 31_000)
BEATS = draw(100, 58, 4, 30)
TENANT_DAYS = days("2026-01-01", 60)


def hotel() -> bytes:
    rows, sums = [], [0.0, 0.0]
    for i, day in enumerate(SUMMER):
        rows.append(f"{day:%d/%m/%Y};mar;{OCCUPIED[i]:.0f};{german(INCOME[i])}")
        sums = [sums[0] + OCCUPIED[i], sums[1] + INCOME[i]]
        if (day + dt.timedelta(1)).day == 1:
            rows.append(f"Total mes {day.month};;{sums[0]:.0f};{german(sums[1])}")
            sums = [0.0, 0.0]
    return to_text(
        "Hotel Mirador ****;;;",
        "Periodo: 01/07/2025 - 30/09/2025;;;",
        "Impreso: 03/11/2025 08:14 ADMIN;;;",
        ";;;",
        "Fecha;Día;Hab. ocup.;Ingresos",
        rows,
        "TOTAL GENERAL;;99;1,00",
    ).encode("cp1252")


def sap() -> str:
    def written(value: float, digits: int) -> str:
        return german(abs(value), digits) + ("-" if value < 0 else " ")

    rule, header = "-" * 60, "|Buch.dat. |Werk|     Betrag HW|Währg|   Menge|BME|"
    rows = [
        f"|{day:%d.%m.%Y}|1000|{written(a, 2):>14}|EUR  |{written(p, 0):>8}|ST |"
        for day, a, p in zip(ENDS, AMOUNT, PIECES, strict=True)
    ]
    page = ["31.10.2025          Dynamische Listausgabe          1", rule, header, rule]
    return to_text(
        page, rows[:20], rule, "", page, rows[20:], rule, "|*   |    |1,00 |EUR  |1 |ST |"
    )


def bakery() -> bytes:
    packed = io.BytesIO()
    book = xlsxwriter.Workbook(packed)
    sheet, month = book.add_worksheet("Sprzedaż"), book.add_format({"num_format": "mmmm yyyy"})
    sheet.merge_range("A1:E1", "Piekarnia Kłos, sprzedaż (zł)")
    sheet.merge_range("A3:A4", "Miesiąc")
    sheet.merge_range("B3:C3", "Kraków")
    sheet.merge_range("D3:E3", "Gdańsk")
    sheet.write_row("B4", ("Plan", "Wykonanie") * 2)
    row = 4
    for i, day in enumerate(months(2023, 1, 30)):
        sheet.write_datetime(row, 0, dt.datetime(day.year, day.month, 1), month)
        sheet.write_row(row, 1, [PLAN[i], DONE[i], DONE[i], PLAN[i]])
        row += 1
        if i == 7:
            sheet.write(row, 0, "Uwaga: remont pieca, 2 tygodnie")
            sheet.set_row(row, None, None, {"hidden": True})
            row += 1
        if day.month % 3 == 0:
            sheet.write_row(row, 0, [f"Razem {day.month // 3} kw.", 1, 2, 3, 4])
            row += 1
    sheet.write(row + 1, 0, "Źródło: system kasowy, 07.07.2025")
    book.add_worksheet("Notatki").write(0, 0, "Sprawdzić z księgowością")
    book.close()
    return packed.getvalue()


def library() -> bytes:
    years = [[2021 + i, *LOANS[12 * i : 12 * i + 12]] for i in range(5)]
    padded = [[*year, *[None] * (13 - len(year)), sum(year[1:])] for year in years]
    return spreadsheet([["Lainat kuukausittain"], [None], ["Vuosi", *FINNISH, "Yhteensä"], *padded])


def weather(row: int) -> str:
    rain, warm = RAIN[row], -999 if row in GAPS else WARM[row]
    day = days("2025-05-01", 150)[row]
    return f"{4928:11d};{day:%Y%m%d};   10;{rain:5.1f}; -999;{warm:5};eor"


def values_without(values: list[float], rows: tuple[int, ...]) -> list[float]:
    return [value for row, value in enumerate(values) if row not in rows]


CASES = [
    Case(
        "hotel occupancy with totals of months",
        hotel(),
        {"Hab. ocup.": OCCUPIED, "Ingresos": INCOME},
        first="2025-07-01",
        frequency="Daily",
    ),
    Case(
        "Shopify with the previous period",
        to_text(
            '"Day","Orders","Day (previous_period)","Total sales (previous_period)"',
            [
                f'"{day}",{o:.0f},"{day - dt.timedelta(61)}",{b}'
                for day, o, b in zip(AUTUMN, ORDERS, BEFORE, strict=True)
            ],
        ),
        {"Orders": ORDERS, "Total sales (previous_period)": BEFORE},
        first="2025-09-01",
        frequency="Daily",
    ),
    Case(
        "Google Analytics by the nth day",
        to_text(
            "# ----------------",
            "# Start date: 20250901",
            "Nth day,Active users,New users",
            [
                f"{i:04},{o:.0f},{b:.0f}"
                for i, (o, b) in enumerate(zip(ORDERS, BEFORE, strict=True))
            ],
        ),
        {"Active users": [round(v) for v in ORDERS], "New users": [round(v) for v in BEFORE]},
        first="2025-09-01",
        frequency="Daily",
        says="Counted from 2025-09-01",
    ),
    Case(
        "DATEV bookings by only day and month",
        to_text(
            '"EXTF";700;21;"Buchungsstapel";13;20250714093012000;;"RE";29098;20250101;4;20250101',
            "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;Konto;Gegenkonto;Belegdatum",
            [f'{german(b)};"S";10001;8400;{d:%d%m}' for d, b in zip(AUTUMN, BEFORE, strict=True)],
        ),
        {"Umsatz (ohne Soll/Haben-Kz)": BEFORE},
        first="2025-09-01",
        frequency="Daily",
        asks=("year",),
        then={"year": 2025},
    ),
    Case(
        "SAP list by pages, with a minus behind",
        sap(),
        {"Betrag HW": AMOUNT, "Menge": PIECES},
        first="2022-11-30",
    ),
    Case(
        "attendance by week with a half term",
        to_text(
            '"Attendance summary by week, academic year 2023/24"',
            "",
            '"Week commencing","Year 7","Whole school"',
            [
                f"{w:%d/%m/%Y},Half term," if i == CLOSED[0] else f"{w:%d/%m/%Y},{a}%,{a}%"
                for i, (w, a) in enumerate(zip(WEEKS, ATTENDED, strict=True))
                if i != CLOSED[1]
            ],
        ),
        {
            "Year 7": values_without(ATTENDED, CLOSED),
            "Whole school": values_without(ATTENDED, CLOSED),
        },
        first="2023-09-04",
        frequency="Weekly",
        says="Missing: 2023-10-23, 2023-12-25",
    ),
    Case(
        "ESB half hours, import and export, newest first",
        to_text(
            "MPRN,Meter Serial Number,Read Value,Read Type,Read Date and End Time",
            [
                f"10012345678,000000000024680135,{value:.6f},Active {kind} Interval (kW),"
                f"{time:%d-%m-%Y %H:%M}"
                for time, i, e in reversed([*zip(HALF_HOURS, IMPORTED, EXPORTED, strict=True)])
                for kind, value in (("Import", i), ("Export", e))
            ],
        ),
        {"Active Import Interval (kW)": IMPORTED, "Active Export Interval (kW)": EXPORTED},
        first="2025-11-10T00:30",
        frequency="Minutes",
    ),
    Case(
        "closings of a shop that is shut on Mondays",
        to_text(
            "Data;Ora chiusura;Totale lordo;Scontrini",
            [
                f"{day:%d/%m/%Y};22:{7 * i % 60:02};€ {german(t)};{r:.0f}"
                for i, (day, t, r) in enumerate(zip(CLOSINGS, TAKINGS, RECEIPTS, strict=True))
            ],
        ),
        {"Totale lordo": TAKINGS, "Scontrini": RECEIPTS},
        first="2025-07-01",
        frequency="Daily",
        says="One value a day, at varying times: read as days.",
    ),
    Case(
        "electricity bill pasted with single spaces",
        to_text(
            "CEMIG DISTRIBUIÇÃO S.A. CNPJ 06.981.180/0001-16",
            "Referente a OUT/2025 Vencimento 12/11/2025 Valor a pagar (R$) 287,41",
            "",
            "Histórico de Consumo",
            "MÊS/ANO CONSUMO kWh MÉDIA kWh/Dia Dias",
            [
                f"{'JAN FEV MAR ABR MAI JUN JUL AGO SET OUT NOV DEZ'.split()[d.month - 1]}/{d:%y}"  # noqa: SIM905
                f" {c:.0f} {german(c / 32)} {n:.0f}"
                for d, c, n in reversed([*zip(BILLED, CONSUMED, LENGTHS, strict=True)])
            ],
        ),
        {
            "CONSUMO kWh": CONSUMED,
            "MÉDIA kWh/Dia": [float(f"{value / 32:.2f}") for value in CONSUMED],
            "Dias": LENGTHS,
        },
        first="2024-10-01",
    ),
    Case(
        "weather with -999 for missing",
        to_text("STATIONS_ID;MESS_DATUM;QN_3; RSK;  NM; TMK;eor", map(weather, range(150))),
        {"RSK": RAIN, "TMK": values_without(WARM, GAPS)},
        first="2025-05-01",
        frequency="Daily",
        says="-999 in “TMK”",
    ),
    Case(
        "national accounts with years above the quarters",
        to_text(
            '"Title","Gross Domestic Product: chained volume measures"',
            '"CDID","ABMI"',
            '"Unit","m"',
            '"Release date","30-09-2025"',
            '"Next release","13 November 2025"',
            '"Important notes",""',
            [f'"{2018 + i}","{sum(QUARTERS[4 * i : 4 * i + 4]):.0f}"' for i in range(7)],
            [f'"{2018 + i // 4} Q{i % 4 + 1}","{q:.0f}"' for i, q in enumerate(QUARTERS)],
        ),
        {"Gross Domestic Product: chained volume measures": QUARTERS},
        first="2018-01-01",
        frequency="Quarterly",
        says="“2018” and the like are longer periods than others",
    ),
    Case(
        "NetSuite periods by start and end",
        to_text(
            "Subsidiary,Period Start,Period End,Net Sales,Credits",
            [
                f'"Ohio Fasteners, Inc.",{d:%m/%d/%Y},{e:%m/%d/%Y},"${s:,.2f}","(${c:,.2f})"'
                for d, e, s, c in zip(FISCAL, month_ends(2022, 10, 36), SALES, CREDITS, strict=True)
            ],
        ),
        {"Net Sales": SALES, "Credits": [-value for value in CREDITS]},
        first="2022-10-01",
    ),
    Case(
        "workbook with two headers, quarters' totals and a hidden note",
        bakery(),
        {
            "Kraków Plan": PLAN,
            "Kraków Wykonanie": DONE,
            "Gdańsk Plan": DONE,
            "Gdańsk Wykonanie": PLAN,
        },
        first="2023-01-01",
    ),
    Case("library sheet with months across", library(), {"value": LOANS}, first="2021-01-01"),
    Case(
        "Fitbit records with the date twice",
        json.dumps(
            [
                {
                    "dateTime": f"{d:%m/%d/%y} 00:00:00",
                    "value": {"date": f"{d:%m/%d/%y}", "value": b},
                }
                for d, b in zip(days("2025-06-01", 100), BEATS, strict=True)
            ]
        ),
        {"value.value": BEATS},
        first="2025-06-01",
        frequency="Daily",
    ),
    *(
        Case(
            f"a number of a {name}, the same in all rows",
            to_text(
                f"{name};Datum;Betrag",
                [f"1000;{day:%d.%m.%Y};{i % 7 + 10},50" for i, day in enumerate(TENANT_DAYS)],
            ),
            {"Betrag": [i % 7 + 10.5 for i in range(60)]},
            "2026-01-01",
            "Daily",
        )
        for name in ("BuKr", "Mandant", "Tenant", "Cost center")
    ),
]
