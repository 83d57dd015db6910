"""Tables that web services, loggers and offices export.

The makers: web analytics (Chile, Germany), statistical offices (France, Iceland), the World Bank, a
data logger (United States), a call centre (Bulgaria).
"""

import datetime as dt
import json

from tests.tables.kinds.case import Case, days, draw, months, to_text

DAYS, SESSIONS, DIRECT = days("2026-08-01", 60), draw(60, 220, 0, 7), draw(60, 120, 0, 7)
SINCE, MONTHLY = months(2022, 1, 48), draw(48, 120, 0)
ICELANDIC = "Janúar Febrúar Mars Apríl Maí Júní Júlí Ágúst September Október Nóvember Desember"
KENYA, TANZANIA = draw(30, 50, 1, 30), draw(30, 20, 1, 30)
HOURS = [dt.datetime(2026, 10, 5, 8) + dt.timedelta(hours=i) for i in range(48)]
CELSIUS, HUMIDITY = draw(48, 30, 3, 24), draw(48, 70, 3, 24)
CALL_SECONDS = [180 + int(seconds) for seconds in draw(60, 60, 0, 7)]


def category(labels: list[str]) -> dict[str, dict[str, dict[str, str | int]]]:
    """Return a dimension of JSON-stat whose codes are numbers."""
    codes = [f"{i:02}" for i in range(len(labels))]
    index: dict[str, str | int] = {code: i for i, code in enumerate(codes)}
    return {"category": {"index": index, "label": dict(zip(codes, labels, strict=True))}}


CASES = [
    Case(
        "Google Analytics by the nth day, in Spanish",
        to_text(
            "# ----------------",
            "# Fecha de inicio: 20260801",
            "# Fecha de finalización: 20260929",
            "Día N.º,Organic Search,Direct",
            [
                f"{i:04},{s:.0f},{d:.0f}"
                for i, (s, d) in enumerate(zip(SESSIONS, DIRECT, strict=True))
            ],
        ),
        {"Organic Search": SESSIONS, "Direct": DIRECT},
        first="2026-08-01",
        frequency="Daily",
        says="Counted from 2026-08-01",
    ),
    Case(
        "Matomo: two days without visits are empty lists",
        json.dumps(
            {
                f"{day}": [] if i in (20, 21) else {"nb_visits": visits, "nb_users": 0}
                for i, (day, visits) in enumerate(zip(DAYS, SESSIONS, strict=True))
            }
        ),
        {
            "nb_visits": [v for i, v in enumerate(SESSIONS) if i not in (20, 21)],
            "nb_users": [0] * 58,
        },
        first="2026-08-01",
        frequency="Daily",
    ),
    Case(
        "JSON-stat: years and months are two dimensions",
        json.dumps(
            {
                "class": "dataset",
                "id": ["Landsvæði", "Ár", "Mánuður"],
                "size": [2, 4, 12],
                "dimension": {
                    "Landsvæði": category(["Allt landið", "Suðurland"]),
                    "Ár": category(["2022", "2023", "2024", "2025"]),
                    "Mánuður": category(ICELANDIC.split()),
                },
                "value": [*MONTHLY, *(2 * v for v in MONTHLY)],
            }
        ),
        {"Allt landið": MONTHLY, "Suðurland": [2 * v for v in MONTHLY]},
        first="2022-01-01",
    ),
    Case(
        "World Bank: countries by their names, beside their codes",
        json.dumps(
            [
                {"page": 1, "pages": 1},
                [
                    {"country": {"id": code, "value": name}, "date": str(1994 + i), "value": v}
                    for code, name, values in (("KE", "Kenya", KENYA), ("TZ", "Tanzania", TANZANIA))
                    for i, v in enumerate(values)
                ],
            ]
        ),
        {"Kenya": KENYA, "Tanzania": TANZANIA},
        first="1994-01-01",
        frequency="Yearly",
    ),
    Case(
        "three decimals in all, beside AM and PM",
        to_text(
            '"Plot Title: Walk-in Cooler"',
            '"#","Date Time, GMT-06:00","Temp, °F","RH, %"',
            [
                f"{i},{hour:%m/%d/%y %I:%M:%S %p},{c:.3f},{h:.3f}"
                for i, (hour, c, h) in enumerate(zip(HOURS, CELSIUS, HUMIDITY, strict=True), 1)
            ],
        ),
        {"Temp, °F": CELSIUS, "RH, %": HUMIDITY},
        first="2026-10-05T08:00",
        frequency="Hours",
    ),
    Case(
        "a statistical office: names above when they were updated",
        to_text(
            '"Libellé";"Indice des prix - Hébergement";"Codes"',
            '"idBank";"001763541";""',
            '"Dernière mise à jour";"13/11/2026 08:45";""',
            '"Période";"";""',
            [
                f'"{month:%Y-%m}";"{v}";"A"'
                for month, v in [*zip(SINCE, MONTHLY, strict=True)][::-1]
            ],
        ),
        {"Indice des prix - Hébergement": MONTHLY},
        first="2022-01-01",
    ),
    Case(
        "mean talk times of days, under an hour, are durations",
        to_text(
            "Дата;Обаждания;Средно време на разговор",
            [
                f"{day:%d.%m.%Y};{calls:.0f};00:{talked // 60:02}:{talked % 60:02}"
                for day, calls, talked in zip(DAYS, SESSIONS, CALL_SECONDS, strict=True)
            ],
        ),
        {
            "Обаждания": SESSIONS,
            "Средно време на разговор": [round(seconds / 3600, 10) for seconds in CALL_SECONDS],
        },
        first="2026-08-01",
        frequency="Daily",
    ),
]
