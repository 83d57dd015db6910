"""Tables of bookkeeping, banks and planning."""

import datetime as dt

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

HIGH, LOW = draw(24, 4300), draw(24, 1800)
COUNTS = draw(24, 12_000, 0)
PRICES = draw(70, 1_250)
GERMAN_MONTHS, FRENCH, POLISH, TURKISH, PORTUGUESE, ITALIAN, DUTCH = (
    line.split()
    for line in """\
Januar Februar März April Mai Juni Juli August September Oktober November Dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık
jan fev mar abr mai jun jul ago set out nov dez
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
jan feb mrt apr mei jun jul aug sep okt nov dec""".splitlines()
)
SINCE = months(2023, 1, 24)
LAKHS = draw(24, 1_500_000)


def lakhs(value: float) -> str:
    """Return an amount in groups of India: 12,34,567.00."""
    whole, _, cents = f"{value:.2f}".partition(".")
    head, tail = whole[:-3], whole[-3:]
    groups = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*groups, tail]) + "." + cents


CASES = [
    Case(
        "Lexware: turnover of months with a sum",
        to_text(
            "Auswertung Umsatz 2023/2024;",
            "Monat;Umsatz netto",
            rows_of(
                SINCE, HIGH, lambda d, v: f"{GERMAN_MONTHS[d.month - 1]} {d.year};{german(v)} €"
            ),
            f"Summe;{german(sum(HIGH))} €",
        ),
        {"Umsatz netto": HIGH},
        first="2023-01-01",
    ),
    Case(
        "DATEV: account by posting period",
        to_text(
            '"Konto";"Buchungsperiode";"Jahr";"Saldo"',
            rows_of(SINCE, HIGH, lambda d, v: f'"8400";"{d.month}";"{d.year}";"{german(v)}"'),
        ),
        {"Saldo": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Xero: profit and loss with months across",
        to_text(
            "Profit and Loss,,,",
            "Acme Ltd,,,",
            "",
            "Account," + ",".join(f"{d:%b %Y}" for d in SINCE),
            "Sales," + ",".join(f'"{number(v, ".", ",")}"' for v in HIGH),
        ),
        {"Sales": HIGH},
        first="2023-01-01",
    ),
    Case(
        "QuickBooks: income by month with totals",
        to_text(
            "Date,Income,Expenses",
            rows_of(
                SINCE,
                zip(HIGH, LOW, strict=True),
                lambda d, v: (
                    f'{d:%m/%d/%Y},"${number(v[0], ".", ",")}","${number(v[1], ".", ",")}"'
                ),
            ),
            f'TOTAL,"${number(sum(HIGH), ".", ",")}","${number(sum(LOW), ".", ",")}"',
        ),
        {"Income": HIGH, "Expenses": LOW},
        first="2023-01-01",
    ),
    Case(
        "Sage: negative amounts in brackets",
        to_text(
            "Period\tNet", rows_of(SINCE, HIGH, lambda d, v: f"{d:%b-%y}\t({number(v, '.', ',')})")
        ),
        {"Net": [-v for v in HIGH]},
        first="2023-01-01",
    ),
    Case(
        "SAP: year and period with a minus behind",
        to_text(
            "|Jahr|Per.|Betrag in HW|",
            "|----|----|------------|",
            rows_of(SINCE, HIGH, lambda d, v: f"|{d.year}|{d.month:>3}|{german(v)}-|"),
        ),
        {"Betrag in HW": [-v for v in HIGH]},
        first="2023-01-01",
    ),
    Case(
        "SAP: fiscal year/period",
        to_text(
            "Year/Period;Quantity",
            rows_of(SINCE, COUNTS, lambda d, v: f"{d.month:03}.{d.year};{v:.0f}"),
        ),
        {"Quantity": COUNTS},
        first="2023-01-01",
    ),
    Case(
        "Oracle: periods such as JAN-23",
        to_text(
            "PERIOD_NAME,PERIOD_NET_DR",
            rows_of(SINCE, HIGH, lambda d, v: f"{d:%b-%y}".upper() + f",{v}"),
        ),
        {"PERIOD_NET_DR": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Oracle: days such as 01-JAN-23",
        to_text(
            "TRX_DATE,AMOUNT",
            rows_of(days("2023-01-01", 70), PRICES, lambda d, v: f"{d:%d-%b-%y}".upper() + f",{v}"),
        ),
        {"AMOUNT": PRICES},
        first="2023-01-01",
        frequency="Daily",
    ),
    Case(
        "Dynamics: month ends in a workbook",
        workbook(
            {
                "Sheet1": [
                    ["Posting date", "Amount (LCY)"],
                    *(
                        [date_cell((d - dt.date(1899, 12, 30)).days), v]
                        for d, v in zip(month_ends(2023, 1, 24), HIGH, strict=True)
                    ),
                ]
            }
        ),
        {"Amount (LCY)": HIGH},
        first="2023-01-31",
    ),
    Case(
        "LibreOffice: three columns",
        spreadsheet(
            [
                ["Datum", "Ertrag", "Aufwand"],
                *([d, a, b] for d, a, b in zip(SINCE, HIGH, LOW, strict=True)),
            ],
            "Übersicht",
        ),
        {"Ertrag": HIGH, "Aufwand": LOW},
        first="2023-01-01",
    ),
    Case(
        "India: lakh grouping, days first",
        to_text(
            "Month,Sales (INR)", rows_of(SINCE, LAKHS, lambda d, v: f'{d:%b-%Y},"₹{lakhs(v)}"')
        ),
        {"Sales (INR)": LAKHS},
        first="2023-01-01",
    ),
    Case(
        "Switzerland: apostrophes",
        to_text(
            "Monat;Betrag",
            rows_of(SINCE, HIGH, lambda d, v: f"{d:%m.%Y};CHF {number(v, '.', chr(0x2019))}"),
        ),
        {"Betrag": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Switzerland: amounts with a dash",
        to_text(
            "Monat;Betrag",
            rows_of(SINCE, COUNTS, lambda d, v: f"{d:%m.%Y};Fr. {number(v, '.', chr(39), 0)}.--"),
        ),
        {"Betrag": COUNTS},
        first="2023-01-01",
    ),
    Case(
        "France: months by name, thin spaces",
        to_text(
            "Mois;Chiffre d'affaires",
            rows_of(
                SINCE,
                HIGH,
                lambda d, v: f"{FRENCH[d.month - 1]} {d.year};{number(v, ',', chr(0x202F))} €",
            ),
        ),
        {"Chiffre d'affaires": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Poland: months by name",
        to_text(
            "Miesiąc;Sprzedaż",
            rows_of(
                SINCE, HIGH, lambda d, v: f"{POLISH[d.month - 1]} {d.year};{number(v, ',', ' ')} zł"
            ),
        ),
        {"Sprzedaż": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Turkey: months by name",
        to_text(
            "Ay;Satış",
            rows_of(SINCE, HIGH, lambda d, v: f"{TURKISH[d.month - 1]} {d.year};{german(v)} ₺"),
        ),
        {"Satış": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Brazil: mês/ano, R$",
        to_text(
            "Mês;Receita",
            rows_of(SINCE, HIGH, lambda d, v: f"{PORTUGUESE[d.month - 1]}/{d.year};R$ {german(v)}"),
        ),
        {"Receita": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Italy: months by name, in two columns",
        to_text(
            "Anno;Mese;Importo",
            rows_of(SINCE, HIGH, lambda d, v: f"{d.year};{ITALIAN[d.month - 1]};{german(v)}"),
        ),
        {"Importo": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Netherlands: short months",
        to_text(
            "Maand;Omzet",
            rows_of(SINCE, HIGH, lambda d, v: f"{DUTCH[d.month - 1]}-{d:%y};€ {german(v)}"),
        ),
        {"Omzet": HIGH},
        first="2023-01-01",
    ),
    Case(
        "Japan: year and month",
        to_text(
            "年月,売上",
            rows_of(
                SINCE, COUNTS, lambda d, v: f'{d.year}年{d.month}月,"¥{number(v, ".", ",", 0)}"'
            ),
        ),
        {"売上": COUNTS},
        first="2023-01-01",
    ),
    Case(
        "Japan: days",
        to_text(
            "日付,数量",
            rows_of(
                days("2024-01-01", 70), PRICES, lambda d, v: f"{d.year}年{d.month}月{d.day}日,{v}"
            ),
        ),
        {"数量": PRICES},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Sweden: ISO days, spaces and kr",
        to_text(
            "Datum;Belopp",
            rows_of(
                days("2024-01-01", 70), PRICES, lambda d, v: f"{d};{number(v, ',', chr(0xA0))} kr"
            ),
        ),
        {"Belopp": PRICES},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "Arabic digits",
        to_text(
            "التاريخ;المبلغ",
            rows_of(
                days("2024-01-01", 24),
                COUNTS,
                lambda d, v: f"{d};{v:.0f}".translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
            ),
        ),
        {"المبلغ": COUNTS},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "quarters in words",
        to_text(
            "Quartal;Ergebnis",
            rows_of(
                range(24), HIGH, lambda i, v: f"{i % 4 + 1}. Quartal {2018 + i // 4};{german(v)}"
            ),
        ),
        {"Ergebnis": HIGH},
        first="2018-01-01",
        frequency="Quarterly",
    ),
    Case(
        "quarters such as Q1/18",
        to_text(
            "Quarter\tRevenue (m)",
            rows_of(range(24), HIGH, lambda i, v: f"Q{i % 4 + 1}/{18 + i // 4}\t{v}"),
        ),
        {"Revenue (m)": HIGH},
        first="2018-01-01",
        frequency="Quarterly",
    ),
    Case(
        "quarters of a fiscal year",
        to_text(
            "Quarter,Revenue",
            rows_of(range(24), HIGH, lambda i, v: f"FY{18 + i // 4} Q{i % 4 + 1},{v}"),
        ),
        {"Revenue": HIGH},
        first="2017-04-01",
        frequency="Quarterly",
        asks=("start",),
        then={"start": dt.date(2017, 4, 1)},
    ),
    Case(
        "only fiscal years",
        to_text(
            "Fiscal year,Revenue", rows_of(range(24), COUNTS, lambda i, v: f"FY{2000 + i},{v:.0f}")
        ),
        {"Revenue": COUNTS},
        first="2000-01-01",
        frequency="Yearly",
        asks=("start",),
        then={"start": dt.date(2000, 1, 1)},
    ),
    Case(
        "years down and months across, with a sum",
        to_text(
            "Jahr;" + ";".join(name[:3] for name in GERMAN_MONTHS) + ";Summe",
            [
                f"{2023 + y};"
                + ";".join(german(v) for v in HIGH[12 * y : 12 * y + 12])
                + f";{german(sum(HIGH[12 * y : 12 * y + 12]))}"
                for y in range(2)
            ],
        ),
        {"value": HIGH},
        first="2023-01-01",
    ),
    Case(
        "a budget beside actuals: two columns",
        to_text(
            "month;Ist;Plan",
            rows_of(
                SINCE,
                zip(HIGH, LOW, strict=True),
                lambda d, v: f"{d:%Y-%m};{german(v[0])};{german(v[1])}",
            ),
        ),
        {"Ist": HIGH, "Plan": LOW},
        first="2023-01-01",
    ),
    Case(
        "costs of two departments, one under the other",
        to_text(
            "Abteilung;Monat;Kosten",
            [
                f"{name};{d:%d.%m.%Y};{german(v)}"
                for name, values in (("Einkauf", HIGH), ("Lager", LOW))
                for d, v in zip(SINCE, values, strict=True)
            ],
        ),
        {"Einkauf": HIGH, "Lager": LOW},
        first="2023-01-01",
    ),
]
