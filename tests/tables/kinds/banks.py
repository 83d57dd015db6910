"""Exports of banks of ten countries."""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, german, number, to_text

DAYS = days("2024-01-01", 50)
ALL_BOOKINGS = [
    (d, round((-1) ** i * (10 + (i * 37 % 113) / 4), 2)) for d in DAYS for i in range(d.day % 3 + 1)
]
SUMS = [round(sum(v for e, v in ALL_BOOKINGS if e == d), 2) for d in DAYS]
SALDO = [round(1_500_000 + v * 7, 2) for v in draw(50, 900, 2, 7)]
PAID = draw(50, 40, 2, 7)


def statement_of(header: list[str], form: str) -> str:
    return to_text(
        *header,
        [
            form.format(
                d=d,
                v=v,
                i=i,
                g=german(v),
                e=d + dt.timedelta(i % 3),
                t=dt.datetime(d.year, d.month, d.day, 7 + i % 12, i * 7 % 60, i % 60),
                r=number(v, ",", " "),
                u=number(v, ".", ","),
            )
            for i, (d, v) in enumerate(ALL_BOOKINGS)
        ],
    )


def balance(header: list[str], form: str, newest_first: bool = False) -> str:
    pairs = list(zip(DAYS, SALDO, strict=True))
    return to_text(
        *header,
        [
            form.format(
                d=d,
                v=v,
                g=german(v),
                r=number(v, ",", "\u202f"),
                u=number(v, ".", ","),
                a=number(v, ".", "’"),
            )
            for d, v in (pairs[::-1] if newest_first else pairs)
        ],
    )


def daily_case(name: str, content: str, series: str, *, is_chosen: bool = False) -> Case:
    has_clock = "H:" in content or ":00" in content
    by, how = ("per", "day-total") if has_clock else ("duplicates", "sum")
    chosen = {"columns": (series,)} if is_chosen else {}
    return Case(
        name,
        content,
        {series: SUMS},
        first="2024-01-01",
        frequency="Daily",
        asks=(by,),
        then={by: how} | chosen,
    )


def lakhs(v: float) -> str:
    whole, _, cents = f"{v:.2f}".partition(".")
    return f"{whole[:-5]},{whole[-5:-3]},{whole[-3:]}.{cents}"


CASES = [
    daily_case(
        "Sparkasse: two days and short years",
        statement_of(
            ['"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Betrag";"Waehrung"'],
            '"DE12";"{d:%d.%m.%y}";"{e:%d.%m.%y}";"Lastschrift {i}";"{g}";"EUR"',
        ),
        "Betrag",
    ),
    daily_case(
        "Monzo: date and time in two columns",
        statement_of(
            ["Transaction ID,Date,Time,Type,Name,Amount,Currency"],
            "tx_{i:05},{d:%d/%m/%Y},{t:%H:%M:%S},Card payment,Shop {i},{v},GBP",
        ),
        "Amount",
    ),
    daily_case(
        "Revolut: started and completed",
        statement_of(
            ["Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State"],
            "CARD,Current,{t:%Y-%m-%d %H:%M:%S},{e} 03:00:00,Shop {i},{v},0.00,EUR,COMPLETED",
        ),
        "Amount",
        is_chosen=True,
    ),
    Case(
        "Crédit Agricole: debit or credit",
        to_text(
            "Date;Libellé;Débit euros;Crédit euros;",
            [
                f"{d:%d/%m/%Y};Carte {i};{number(p, ',', chr(0xA0))};;"
                for i, (d, p) in enumerate(zip(DAYS, PAID, strict=True))
            ],
        ),
        {"Débit euros": PAID},
        first="2024-01-01",
        frequency="Daily",
    ),
    daily_case(
        "PKO: minus before, point as mark",
        statement_of(
            ['"Data operacji","Data waluty","Typ transakcji","Kwota","Waluta"'],
            '"{d}","{e}","Płatność kartą","{v:+}","PLN"',
        ),
        "Kwota",
    ),
    Case(
        "Chase: newest first, with a balance",
        balance(["Posting Date,Description,Balance"], "{d:%m/%d/%Y},DEBIT,{v}", True),
        {"Balance": SALDO},
        first="2024-01-01",
        frequency="Daily",
    ),
    Case(
        "UBS: lines of the account above",
        balance(
            [
                "Kontonummer:;0235 00000000.0;",
                "IBAN:;CH93 0076 2011 6238 5295 7;",
                "Von:;2024-01-01;",
                "Bis:;2024-02-19;",
                "Anzahl Transaktionen in diesem Zeitraum:;50;",
                "",
                "Abschlussdatum;Währung;Saldo",
            ],
            "{d};CHF;{a}",
        ),
        {"Saldo": SALDO},
        first="2024-01-01",
        frequency="Daily",
    ),
    daily_case(
        "T-Bank: seconds and spaces in thousands",
        statement_of(
            ['"Дата операции";"Статус";"Сумма операции";"Валюта операции"'],
            '"{t:%d.%m.%Y %H:%M:%S}";"OK";"{r}";"RUB"',
        ),
        "Сумма операции",
    ),
    Case(
        "HDFC: lakhs and short years",
        to_text(
            "Date     ,Narration,Chq./Ref.No.,Closing Balance",
            [
                f'{d:%d/%m/%y},UPI-{i},0000{i},"{lakhs(v)}"'
                for i, (d, v) in enumerate(zip(DAYS, SALDO, strict=True))
            ],
        ),
        {"Closing Balance": SALDO},
        first="2024-01-01",
        frequency="Daily",
        then={"columns": ("Closing Balance",)},
    ),
    Case(
        "Nordea: slashes and points in thousands",
        balance(["Bogføringsdato;Saldo;Valuta"], "{d:%Y/%m/%d};{g};DKK"),
        {"Saldo": SALDO},
        first="2024-01-01",
        frequency="Daily",
    ),
    daily_case(
        "Rabobank: signs before all amounts",
        statement_of(
            ['"IBAN/BBAN","Munt","Volgnr","Datum","Rentedatum","Bedrag"'],
            '"NL44RABO","EUR","{i:018}","{d}","{e}","{v:+.2f}"',
        ).replace(".", ","),
        "Bedrag",
        is_chosen=True,
    ),
]
