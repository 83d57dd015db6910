"""Tables of meters, sensors, grids and sport."""

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
    to_text,
)

HOURS = [dt.datetime(2024, 2, 1) + dt.timedelta(hours=i) for i in range(120)]
LOAD = draw(120, 47_000, 0, period=24)
DAYS = days("2024-05-01", 40)
ENERGY = draw(40, 21, 2, period=7)
WEIGHT = draw(40, 80, 1)
RUNS = [dt.timedelta(minutes=30 + (i * 7) % 45, seconds=(i * 13) % 60) for i in range(40)]
SINCE = months(2022, 3, 24)
WATER = draw(24, 14, 3)
QUARTERS = [dt.datetime(2024, 2, 1) + dt.timedelta(minutes=15 * i) for i in range(120)]
HALF = dt.timedelta(minutes=30)
JITTER = [dt.datetime.combine(day, dt.time(6 + i % 2, (i * 11) % 60)) for i, day in enumerate(DAYS)]
MINUTES = [dt.datetime(2024, 2, 1) + dt.timedelta(minutes=i) for i in range(120)]

CASES = [
    Case(
        "ENTSO-E: intervals of an hour",
        to_text(
            '"Time (UTC)","Actual Total Load [MW] - BZN|CH"',
            rows_of(
                HOURS,
                LOAD,
                lambda t, v: (
                    f'"{t:%d.%m.%Y %H:%M} - {t + dt.timedelta(hours=1):%d.%m.%Y %H:%M}","{v:.0f}"'
                ),
            ),
        ),
        {"Actual Total Load [MW] - BZN|CH": LOAD},
        first="2024-02-01",
        frequency="Hours",
    ),
    Case(
        "SMARD: begin, end and grouped numbers",
        to_text(
            "Datum von;Datum bis;Netzlast [MWh] Originalauflösungen",
            rows_of(
                HOURS,
                LOAD,
                lambda t, v: (
                    f"{t:%d.%m.%Y %H:%M};{t + dt.timedelta(hours=1):%d.%m.%Y %H:%M};{german(v)}"
                ),
            ),
        ),
        {"Netzlast [MWh] Originalauflösungen": LOAD},
        first="2024-02-01",
        frequency="Hours",
    ),
    Case(
        "Fronius: units in a second row of the header",
        to_text(
            "Datum und Uhrzeit;Energie | Produktion;Energie | Verbrauch",
            "[dd.MM.yyyy];[kWh];[kWh]",
            rows_of(
                DAYS,
                ENERGY,
                lambda d, v: f"{d:%d.%m.%Y};{number(v, ',')};{number(v / 2, ',', '', 3)}",
            ),
        ),
        {
            "Energie | Produktion [kWh]": ENERGY,
            "Energie | Verbrauch [kWh]": [round(v / 2, 3) for v in ENERGY],
        },
        first="2024-05-01",
        frequency="Daily",
    ),
    Case(
        "a meter's load profile by quarter of an hour",
        to_text(
            "Zeitstempel;Wirkleistung (kW)",
            rows_of(
                QUARTERS, LOAD, lambda t, v: f"{t:%d.%m.%Y %H:%M};{number(v / 1000, ',', '', 3)}"
            ),
        ),
        {"Wirkleistung (kW)": [v / 1000 for v in LOAD]},
        first="2024-02-01",
        frequency="Minutes",
    ),
    Case(
        "date and hour from 1 to 24",
        to_text(
            "Date,Hour Ending,MW",
            [f"{t:%m/%d/%Y},{t.hour + 1},{v:.0f}" for t, v in zip(HOURS, LOAD, strict=True)],
        ),
        {"MW": LOAD},
        first="2024-02-01",
        frequency="Hours",
    ),
    Case(
        "water with its unit in cells",
        to_text(
            "Monat;Verbrauch",
            rows_of(SINCE, WATER, lambda d, v: f"{d:%m/%Y};{number(v, ',', '', 3)} m³"),
        ),
        {"Verbrauch": WATER},
        first="2022-03-01",
        asks=("decimal",),
        then={"decimal": "comma"},
    ),
    Case(
        "Garmin: durations of runs",
        to_text("Activity Date,Moving Time", rows_of(DAYS, RUNS, lambda d, v: f"{d},{v}")),
        {"Moving Time": [round(v.total_seconds() / 3600, 10) for v in RUNS]},
        first="2024-05-01",
        frequency="Daily",
    ),
    Case(
        "scales at varying minutes",
        to_text(
            "Time;Weight",
            rows_of(JITTER, WEIGHT, lambda t, v: f"{t:%d.%m.%Y %H:%M};{number(v, ',', '', 1)} kg"),
        ),
        {"Weight": WEIGHT},
        first="2024-05-01",
        frequency="Daily",
        says="One value a day",
    ),
    Case(
        "Prometheus: epochs with decimals",
        to_text(
            "timestamp,value",
            rows_of(
                MINUTES,
                LOAD,
                lambda t, v: f"{int(t.replace(tzinfo=dt.UTC).timestamp())}.000,{v:.0f}",
            ),
        ),
        {"value": LOAD},
        first="2024-02-01",
        frequency="Minutes",
    ),
    Case(
        "Grafana: time with milliseconds",
        to_text(
            '"Time","cpu"',
            rows_of(MINUTES, LOAD, lambda t, v: f'"{t:%Y-%m-%d %H:%M:%S}.000","{v / 1000:.3f}"'),
        ),
        {"cpu": [v / 1000 for v in LOAD]},
        first="2024-02-01",
        frequency="Minutes",
    ),
    Case(
        "weather with missing values",
        to_text(
            "date\ttemp °C\train mm",
            rows_of(DAYS, ENERGY, lambda d, v: f"{d}\t{v}\t{'-' if d.day == 7 else v / 2:}"),
        ),
        {
            "temp °C": ENERGY,
            "rain mm": [v / 2 for d, v in zip(DAYS, ENERGY, strict=True) if d.day != 7],
        },
        first="2024-05-01",
        frequency="Daily",
    ),
    Case(
        "half-hours of a smart meter",
        to_text(
            "Consumption (kWh), Start, End",
            rows_of(
                [dt.datetime(2024, 2, 1) + dt.timedelta(minutes=30 * i) for i in range(120)],
                LOAD,
                lambda t, v: f"{v / 1e5:.6f}, {t.isoformat()}Z, {(t + HALF).isoformat()}Z",
            ),
        ),
        {"Consumption (kWh)": [round(v / 1e5, 6) for v in LOAD]},
        first="2024-02-01",
        frequency="Minutes",
    ),
    Case(
        "readings of months on the last working day",
        to_text(
            "Ablesung;Stand",
            rows_of(
                [d - dt.timedelta(max(d.weekday() - 4, 0)) for d in month_ends(2022, 1, 24)],
                WATER,
                lambda d, v: f"{d:%d.%m.%Y};{number(v, ',', '', 3)}",
            ),
        ),
        {"Stand": WATER},
        first="2022-01-01",
    ),
]
