"""Exports of devices, servers and planning programs, with dates or headers in their own forms.

The makers: collectd, Java and web servers, Open-Meteo, Dexcom, utilities (United States, Belgium),
Elexon, the OECD, planners with months as numbers.
"""

import datetime as dt

from tests.tables.kinds.case import Case, days, draw, months, to_text

HOURS = [dt.datetime(2024, 3, 20) + dt.timedelta(hours=i) for i in range(240)]
LOAD = draw(240, 90, 1, 24)
HALF_HOURS = [(HOURS[0] + dt.timedelta(minutes=30 * i), v) for i, v in enumerate(LOAD)]
DAYS, DAILY = days("2024-03-20", 10), draw(10, 8, 1)
SINCE, A, B = months(2023, 1, 24), draw(24, 4100, 0), draw(24, 700, 0)
WEEKS, SOLD = days("2023-09-04", 30, 7), draw(30, 120, 0, 13)
QUARTERS = draw(24, 900, 1, 4)
WORK_DAYS, CALLS = days("2024-03-18", 30), draw(300, 40, 0, 10)


def hourly_case(name: str, header: str, form: str, **expected: str) -> Case:
    """Return a table of hours; ``form`` has the time ``t``, its end ``e`` and the value ``v``."""
    rows = [
        form.format(
            t=t, e=t + dt.timedelta(hours=1), v=v, s=int(t.replace(tzinfo=dt.UTC).timestamp())
        )
        for t, v in zip(HOURS, LOAD, strict=True)
    ]
    return Case(
        name,
        to_text(header, rows),
        {"load": LOAD},
        first=expected.get("first", "2024-03-20T00:00:00"),
        frequency="Hours",
        says=expected.get("says", ""),
    )


CASES = [
    hourly_case("epochs with parts of a second", "epoch,load", "{s}.0417,{v}"),
    Case(
        "epochs with parts of a second, just before and after the hour",
        to_text(
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
    hourly_case(
        "Java: a region after the offset", "time;load", "{t:%FT%T}+01:00[Europe/Paris];{v}"
    ),
    hourly_case(
        "a region after the time",
        "time;load",
        "{t:%F %T} America/Sao_Paulo;{v}",
        says="“America/Sao_Paulo” is left out",
    ),
    hourly_case(
        "Twitter: the year after the time", "time,load", "{t:%a %b %d %T} +0000 {t:%Y},{v}"
    ),
    hourly_case(
        "the command date: a zone before the year", "time,load", "{t:%a %b %e %T} UTC {t:%Y},{v}"
    ),
    hourly_case(
        "a web server: a colon before the time", "time,load", "[{t:%d/%b/%Y:%T} +0000],{v}"
    ),
    hourly_case(
        "a utility: begin and end, each with its time",
        "Start Date,Start Time,End Date,End Time,load",
        "{t:%m/%d/%Y},{t:%I:%M %p},{e:%m/%d/%Y},{e:%I:%M %p},{v}",
    ),
    hourly_case("days before the times of the days", "Date,Recorded,load", "{t:%F},{t:%FT%T},{v}"),
    Case(
        "Open-Meteo: the place, hours, and days below",
        to_text(
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
        to_text(
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
        to_text(
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
        to_text(
            "Material;" + ";".join(f"{d:%Y%m}" for d in SINCE),
            "100200;" + ";".join(f"{v:.0f}" for v in A),
            "418811;" + ";".join(f"{v:.0f}" for v in B),
        ),
        {"100200": A, "418811": B},
        first="2023-01-01",
    ),
    Case(
        "months as numbers across, the newest first",
        to_text(
            "Shop\tRegion\t" + "\t".join(f"{d:%Y%m}" for d in SINCE[::-1]),
            "Oslo\tN\t" + "\t".join(f"{v:.0f}" for v in A[::-1]),
            "Rome\tS\t" + "\t".join(f"{v:.0f}" for v in B[::-1]),
        ),
        {"Oslo": A, "Rome": B},
        first="2023-01-01",
    ),
    Case(
        "weeks as numbers across, over a turn of the year",
        to_text(
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
        to_text(
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
        to_text(
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
    Case(
        "a slip in one date does not turn the others around",
        to_text(
            "date,value",
            [
                f"{'13/03/2024' if d.day == 13 else d.strftime('%m/%d/%Y')},{v}"
                for d, v in zip(days("2024-03-01", 30), CALLS[:30], strict=True)
            ],
        ),
        {"value": [v for i, v in enumerate(CALLS[:30]) if i != 12]},
        first="2024-03-01",
        frequency="Daily",
        says="“13/03/2024” is not a date",
    ),
    Case(
        "Elexon: half-hours of days in columns without names",
        to_text(
            "HDR,DEMAND",
            [f"D,{t:%Y%m%d},{i % 48 + 1},{v}" for i, (t, v) in enumerate(HALF_HOURS)],
            "FTR,240",
        ),
        {"Column 4": LOAD},
        first="2024-03-20T00:00:00",
        frequency="Minutes",
    ),
    Case(
        "days of the week across, with counts like hours below Sat",
        to_text(
            "Week,Mon,Tue,Wed,Thu,Fri,Sat,Sun",
            [f"{d}," + ",".join(str(i + k) for k in range(7)) for i, d in enumerate(WEEKS[:16])],
        ),
        {"value": [float(i + k) for i in range(16) for k in range(7)]},
        first="2023-09-04",
        frequency="Daily",
    ),
    Case(
        "dates as formulas of texts",
        to_text("date,value", [f'="{d}",="{v}"' for d, v in zip(WEEKS, SOLD, strict=True)]),
        {"value": SOLD},
        first="2023-09-04",
        frequency="Weekly",
    ),
    Case(
        "dates as quoted formulas of texts",
        to_text("date,value", [f'"=""{d}""",{v}' for d, v in zip(WEEKS, SOLD, strict=True)]),
        {"value": SOLD},
        first="2023-09-04",
        frequency="Weekly",
    ),
    Case(
        "Markdown with the shortest rule",
        to_text(
            "| Week | Sold |", "|:-|-:|", [f"|{d}|{v}|" for d, v in zip(WEEKS, SOLD, strict=True)]
        ),
        {"Sold": SOLD},
        first="2023-09-04",
        frequency="Weekly",
    ),
    Case(
        "hours of work on days that could be months",
        to_text(
            "Date,Interval,Offered",
            [
                f"{d:%m/%d/%Y},{hour:02}:00 - {hour + 1:02}:00,{CALLS[10 * i + hour - 8]:.0f}"
                for i, d in enumerate(days("2024-03-01", 8))
                for hour in range(8, 18)
            ],
        ),
        {"Offered": CALLS[:80]},
        first="2024-03-01T08:00:00",
        frequency="Hours",
        says="can be read in 2 ways",
    ),
    Case(
        "Fluvius: the one day of the begins, not that of the ends",
        to_text(
            "Van (datum);Van (tijdstip);Tot (datum);Tot (tijdstip);Volume",
            [
                f"{t:%d-%m-%Y};{t:%T};{e:%d-%m-%Y};{e:%T};{v}"
                for t, e, v in zip(HOURS[:24], HOURS[1:25], LOAD[:24], strict=True)
            ],
        ),
        {"Volume": LOAD[:24]},
        first="2024-03-20T00:00:00",
        frequency="Hours",
    ),
]
