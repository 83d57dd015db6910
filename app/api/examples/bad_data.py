"""Errors of the series: its timestamps and its values."""

from app.api.examples.answers import REQUEST
from app.api.examples.error import REMOVED, ErrorExample, data_error

COLUMNS = REQUEST["series"][0]
TOO_FEW = "insufficient data points: 9 sent, at least 10 needed; send a longer history"
TOO_MANY = "too many data points: 50001 sent, at most 50000 allowed; send the most recent ones"

BAD_DATA: tuple[ErrorExample, ...] = (
    data_error(
        "insufficient-data-points",
        "The series has fewer than 10 points.",
        "Send a longer history, or one of a finer step. More points than 10 are recommended: 100 "
        "for `Seconds`, `Minutes` and `Hours`, 30 for `Daily` and `Weekly`, 12 for `Monthly` and "
        "`Quarterly`.",
        ("timestamps", TOO_FEW, "array of 9 items"),
        ("values", TOO_FEW, "array of 9 items"),
        changes={name: column[:9] for name, column in COLUMNS.items()},
    ),
    data_error(
        "unequal-lengths",
        "There are more timestamps than values, or fewer.",
        "Send exactly one value for each timestamp, in the same order.",
        (
            "values",
            "arrays must have equal length: 12 timestamps, 11 values; send one value for each "
            "timestamp",
            "array of 11 items",
        ),
        changes={"values[11]": REMOVED},
    ),
    data_error(
        "invalid-timestamp-format",
        "A timestamp has another form.",
        "Send `YYYY-MM-DDTHH:MM:SS`, also for whole days: `2024-05-01T00:00:00`. An offset may "
        "follow, the same for all: `Z` or `+02:00`.",
        (
            "timestamps[4]",
            "invalid timestamp format: send YYYY-MM-DDTHH:MM:SS, for example 2024-01-31T00:00:00",
            "01/05/2024",
        ),
        changes={"timestamps[4]": "01/05/2024"},
    ),
    data_error(
        "timestamp-no-text",
        "A timestamp is no text, for example seconds since 1970.",
        "Convert it: `datetime.fromtimestamp(1714521600, UTC)` in Python, "
        "`new Date(1714521600 * 1000)` in JavaScript, each with a method that writes ISO 8601.",
        (
            "timestamps[4]",
            "invalid timestamp format: send a text such as 2024-01-31T00:00:00",
            1714521600,
        ),
        changes={"timestamps[4]": 1714521600},
    ),
    data_error(
        "no-such-date",
        "A date does not exist.",
        "Send dates of the calendar, of the years 0001 to 9999. Month ends are the 28th to the "
        "31st, as the month has them.",
        (
            "timestamps[1]",
            "invalid timestamp format: 2024-02-30 is no date of the calendar; send a date that "
            "exists",
            "2024-02-30T00:00:00Z",
        ),
        changes={"timestamps[1]": "2024-02-30T00:00:00Z"},
    ),
    data_error(
        "no-such-time",
        "A time of day does not exist.",
        "Send times from `00:00:00` to `23:59:59`. The end of a day is `00:00:00` of the next one.",
        (
            "timestamps[4]",
            "invalid timestamp format: 24:00:00 is no time of day; send 00:00:00 to 23:59:59",
            "2024-05-01T24:00:00Z",
        ),
        changes={"timestamps[4]": "2024-05-01T24:00:00Z"},
    ),
    data_error(
        "fraction-of-a-second",
        "A timestamp is between two seconds.",
        "Round to whole seconds. A fraction of zeros, `.000`, may stay.",
        (
            "timestamps[4]",
            "invalid timestamp format: fractions of a second are not supported; send whole seconds",
            "2024-05-01T00:00:00.250Z",
        ),
        changes={"timestamps[4]": "2024-05-01T00:00:00.250Z"},
    ),
    data_error(
        "malformed-offset",
        "What follows the seconds is no offset.",
        "Send `Z`, an offset with a colon such as `+02:00`, or nothing; a zone's name is none.",
        (
            "timestamps[4]",
            "invalid timestamp format: after the seconds only Z or an offset from -23:59 to +23:59 "
            "may follow; send YYYY-MM-DDTHH:MM:SS, for example 2024-01-31T00:00:00Z or "
            "2024-01-31T00:00:00+02:00",
            "2024-05-01T00:00:00 CET",
        ),
        changes={"timestamps[4]": "2024-05-01T00:00:00 CET"},
    ),
    data_error(
        "offsets-differ",
        "Timestamps of one series have different offsets.",
        "Convert all to UTC and end them in `Z`. Local times change their offset with summer time.",
        (
            "timestamps[4]",
            "invalid timestamp format: the first timestamp ends in 'Z', this one ends in "
            "'+02:00'; send one offset for the whole series",
            "2024-05-01T00:00:00+02:00",
        ),
        changes={"timestamps[4]": "2024-05-01T00:00:00+02:00"},
    ),
    data_error(
        "not-chronological",
        "A timestamp is earlier than the one in front of it.",
        "Sort the timestamps, oldest first, and the values along with them.",
        (
            "timestamps[3]",
            "timestamps must be in chronological order: 2024-03-01T00:00:00Z is before "
            "2024-04-01T00:00:00Z, the entry in front of it; sort timestamps and values together",
            "2024-03-01T00:00:00Z",
        ),
        changes={
            "timestamps[2]": "2024-04-01T00:00:00Z",
            "timestamps[3]": "2024-03-01T00:00:00Z",
        },
    ),
    data_error(
        "duplicate-timestamp",
        "A timestamp appears twice.",
        "Send one value for each time: add up or average what belongs to the same one.",
        (
            "timestamps[4]",
            "duplicate timestamp: 2024-04-01T00:00:00Z appears twice; send each timestamp once",
            "2024-04-01T00:00:00Z",
        ),
        changes={"timestamps[4]": "2024-04-01T00:00:00Z"},
    ),
    data_error(
        "missing-timestamp",
        "There is a hole in the series.",
        "Send every entry. Fill a hole with what was true (often 0), or with the mean of its "
        "neighbours. Trading days alone are `Daily` data without weekends; give a holiday the "
        "value of the day before.",
        (
            "timestamps[4]",
            "missing entry: 2024-05-01T00:00:00Z is missing; send every entry, 1 month apart",
            "2024-06-01T00:00:00Z",
        ),
        changes={"timestamps[4]": REMOVED, "values[4]": REMOVED},
    ),
    data_error(
        "irregular-spacing",
        "A timestamp is off the grid of the others.",
        "Send entries one regular step apart: round the timestamps, or resample the data.",
        (
            "timestamps[4]",
            "irregular spacing: 2024-05-02T00:00:00Z is not on the grid of the other timestamps, "
            "which are 1 month apart (next to it: 2024-05-01T00:00:00Z and 2024-06-01T00:00:00Z); "
            "move it there or leave it out",
            "2024-05-02T00:00:00Z",
        ),
        changes={"timestamps[4]": "2024-05-02T00:00:00Z"},
    ),
    data_error(
        "no-regular-step",
        "The timestamps keep no step.",
        "Resample the data to one step: add up or average what falls into each day, hour or month.",
        (
            "timestamps[2]",
            "irregular spacing: the first timestamps are 1 day apart, but 2024-01-05T00:00:00Z "
            "comes 3 days after 2024-01-02T00:00:00Z; send entries one regular step apart",
            "2024-01-05T00:00:00Z",
        ),
        changes={
            "timestamps": [f"2024-01-{1 + n * n:02}T00:00:00Z" for n in range(6)]
            + [f"2024-02-{1 + n * n:02}T00:00:00Z" for n in range(6)]
        },
    ),
    data_error(
        "invalid-frequency",
        "The step of the timestamps belongs to another frequency than was declared.",
        "Declare the frequency that the issue names. A step as long as the next unit belongs to "
        "that: 60 minutes are `Hours`, 7 days `Weekly`, 3 months `Quarterly`, 12 months `Yearly`.",
        (
            "timestamps[1]",
            "invalid frequency: the timestamps are 1 year apart, which is Yearly, not Monthly; "
            "send data_frequency and forecast_frequency Yearly",
            "2014-01-01T00:00:00Z",
        ),
        changes={"timestamps": [f"{year}-01-01T00:00:00Z" for year in range(2013, 2025)]},
    ),
    data_error(
        "missing-value",
        "A value is `null`.",
        "Send a number for each timestamp: what was true, or the mean of its neighbours.",
        (
            "values[3]",
            "missing entry: null is no value; send an integer or a float, without quotes",
            None,
        ),
        changes={"values[3]": None},
    ),
    data_error(
        "not-a-number",
        "A value is no JSON number.",
        "Send numbers without quotes, with a point for decimals and nothing between thousands.",
        ("values[3]", "not a number: send an integer or a float, without quotes", "1,290.5"),
        changes={"values[3]": "1,290.5"},
    ),
    data_error(
        "value-too-large",
        "A value is beyond 1e100, or below -1e100.",
        "Send the series in larger units, or mend the value.",
        ("values[3]", "magnitude above 1e+100: send the series in larger units", 1e101),
        changes={"values[3]": 1e101},
    ),
    data_error(
        "too-many-data-points",
        "The series is longer than the service takes (`MAX_POINTS`, by default 50,000).",
        "Send the most recent points only: a forecast gains little from more than some thousand.",
        ("timestamps", TOO_MANY, "array of 50001 items"),
        ("values", TOO_MANY, "array of 50001 items"),
        circumstance="The series has 50,001 points.",
    ),
    data_error(
        "no-array",
        "`timestamps` or `values` is no array.",
        "Send an array of texts and an array of numbers. Of a pandas Series these are "
        '`series.index.strftime("%Y-%m-%dT%H:%M:%S").tolist()` and `series.tolist()`.',
        ("values", "Must be an array of 10 items or more", "object with 2 fields"),
        changes={"values": {"2024-01-01": 112, "2024-02-01": 118}},
    ),
    data_error(
        "missing-column",
        "The series has no `timestamps` or no `values`.",
        "Send both columns in the one object of `series`.",
        ("values", "missing: send an array of 10 items or more", None),
        changes={"values": REMOVED},
    ),
)
"""In the order in which they are shown."""
