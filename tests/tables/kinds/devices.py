"""Exports of devices, servers and planning programs, with dates or headers in their own forms.

The makers: collectd, Java and web servers, Open-Meteo, Dexcom, utilities (United States), the OECD,
planners with months as numbers.
"""

import datetime as dt

from tests.tables.kinds.case import Case, days, level, lines, months

HOURS = [dt.datetime(2024, 3, 20) + dt.timedelta(hours=i) for i in range(240)]
LOAD = level(240, 90, 1, 24)
DAYS, DAILY = days("2024-03-20", 10), level(10, 8, 1)
SINCE, A, B = months(2023, 1, 24), level(24, 4100, 0), level(24, 700, 0)
WEEKS, SOLD = days("2023-09-04", 30, 7), level(30, 120, 0, 13)
QUARTERS = level(24, 900, 1, 4)
WORK_DAYS, CALLS = days("2024-03-18", 30), level(300, 40, 0, 10)


def hourly(name: str, header: str, form: str, **expected: str) -> Case:
    """Return a table of hours; ``form`` has the time ``t``, its end ``e`` and the value ``v``."""
    rows = [
        form.format(
            t=t, e=t + dt.timedelta(hours=1), v=v, s=int(t.replace(tzinfo=dt.UTC).timestamp())
        )
        for t, v in zip(HOURS, LOAD, strict=True)
    ]
    return Case(
        name,
        lines(header, rows),
        {"load": LOAD},
        first=expected.get("first", "2024-03-20T00:00:00"),
        frequency="Hours",
        says=expected.get("says", ""),
    )


CASES = [
    hourly("epochs with parts of a second", "epoch,load", "{s}.0417,{v}"),
    Case(
        "epochs with parts of a second, just before and after the hour",
        lines(
            "epoch,load",
            [
                f"{int(t.replace(tzinfo=dt.UTC).timestamp()) - i % 2}.{('02', '97')[i % 2]},{v}"
                for i, (t, v) in enumerate(zip(HOURS, LOAD, strict=True))
            ],
        ),
        {"load": LOAD},
        first="2024-03-20T00:00:00Z",
        frequency="Hours",
    ),
    hourly("Java: a region after the offset", "time;load", "{t:%FT%T}+01:00[Europe/Paris];{v}"),
    hourly(
        "a region after the time",
        "time;load",
        "{t:%F %T} America/Sao_Paulo;{v}",
        says="“America/Sao_Paulo” is left out",
    ),
    hourly("Twitter: the year after the time", "time,load", "{t:%a %b %d %T} +0000 {t:%Y},{v}"),
    hourly(
        "the command date: a zone before the year", "time,load", "{t:%a %b %e %T} UTC {t:%Y},{v}"
    ),
    hourly("a web server: a colon before the time", "time,load", "[{t:%d/%b/%Y:%T} +0000],{v}"),
    hourly(
        "a utility: begin and end, each with its time",
        "Start Date,Start Time,End Date,End Time,load",
        "{t:%m/%d/%Y},{t:%I:%M %p},{e:%m/%d/%Y},{e:%I:%M %p},{v}",
    ),
    hourly("days before the times of the days", "Date,Recorded,load", "{t:%F},{t:%FT%T},{v}"),
    Case(
        "Open-Meteo: the place, hours, and days below",
        lines(
            "latitude,longitude,elevation,utc_offset_seconds,timezone,timezone_abbreviation",
            "52.52,13.41,38.0,3600,Europe/Berlin,CET",
            "",
            "time,temperature_2m (°C)",
            [f"{t:%Y-%m-%dT%H:%M},{v}" for t, v in zip(HOURS, LOAD, strict=True)],
            "",
            "time,temperature_2m_max (°C),sunrise (iso8601)",
            [f"{d},{v},{d}T06:10" for d, v in zip(DAYS, DAILY, strict=True)],
        ),
        {"temperature_2m (°C)": LOAD},
        first="2024-03-20T00:00:00",
        frequency="Hours",
        says="Another table begins in line 246",
    ),
    Case(
        "Dexcom: entries about the owner below the names",
        lines(
            "Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Patient Info,Device,Glucose (mg/dL)",
            "1,,FirstName,Ana,,",
            "2,,Alert,,Android,70",
            [
                f"{i},{t:%FT%T},EGV,,Android,{v:.0f}"
                for i, (t, v) in enumerate(zip(HOURS, LOAD, strict=True), 3)
            ],
        ),
        {"Glucose (mg/dL)": [float(f"{v:.0f}") for v in LOAD]},
        first="2024-03-20T00:00:00",
        frequency="Hours",
    ),
    Case(
        "OECD: quarters in two spellings",
        lines(
            "LOCATION,TIME,Time,Value",
            [
                f"{name},{2018 + i // 4}-Q{i % 4 + 1},Q{i % 4 + 1}-{2018 + i // 4},{v + plus}"
                for name, plus in (("AUT", 0), ("DEU", 1))
                for i, v in enumerate(QUARTERS)
            ],
        ),
        {"AUT": QUARTERS, "DEU": [v + 1 for v in QUARTERS]},
        first="2018-01-01",
        frequency="Quarterly",
    ),
    Case(
        "articles by number down, months as numbers across",
        lines(
            "Material;" + ";".join(f"{d:%Y%m}" for d in SINCE),
            "100200;" + ";".join(f"{v:.0f}" for v in A),
            "418811;" + ";".join(f"{v:.0f}" for v in B),
        ),
        {"100200": A, "418811": B},
        first="2023-01-01",
    ),
    Case(
        "months as numbers across, the newest first",
        lines(
            "Shop\tRegion\t" + "\t".join(f"{d:%Y%m}" for d in SINCE[::-1]),
            "Oslo\tN\t" + "\t".join(f"{v:.0f}" for v in A[::-1]),
            "Rome\tS\t" + "\t".join(f"{v:.0f}" for v in B[::-1]),
        ),
        {"Oslo": A, "Rome": B},
        first="2023-01-01",
    ),
    Case(
        "weeks as numbers across, over a turn of the year",
        lines(
            "Lane," + ",".join(f"{d:%G%V}" for d in WEEKS),
            "East," + ",".join(f"{v:.0f}" for v in SOLD),
            "West," + ",".join(f"{v + 1:.0f}" for v in SOLD),
        ),
        {"East": SOLD, "West": [v + 1 for v in SOLD]},
        first="2023-09-04",
        frequency="Weekly",
    ),
    Case(
        "periods of fiscal years across",
        lines(
            "Account," + ",".join(f"FY{23 + i // 12}-P{i % 12 + 1:02}" for i in range(24)),
            "Sales," + ",".join(f"{v:.0f}" for v in A),
            "Costs," + ",".join(f"{v:.0f}" for v in B),
        ),
        {"Sales": A, "Costs": B},
        first="2022-07-01",
        asks=("start",),
        then={"start": dt.date(2022, 7, 1)},
    ),
    Case(
        "hours of work across, days down",
        lines(
            "Date," + ",".join(f"{hour:02}:00" for hour in range(8, 18)),
            [
                f"{d}," + ",".join(f"{v:.0f}" for v in CALLS[10 * i : 10 * i + 10])
                for i, d in enumerate(WORK_DAYS)
            ],
        ),
        {"value": CALLS},
        first="2024-03-18T08:00:00",
        frequency="Hours",
    ),
]
