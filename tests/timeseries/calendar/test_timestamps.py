"""Reading timestamps: what is accepted, what is rejected and with which words."""

import re
from datetime import datetime

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.timeseries.calendar.defects import MAX_DEFECTS
from app.timeseries.calendar.timestamps import (
    FIRST_TIME,
    LAST_TIME,
    TimestampErrors,
    format_timestamps,
    parse_timestamps,
)

FIRST = "2024-01-31T00:00:00"

suffixes = st.sampled_from(["", "Z", "+00:00", "-00:00", "+02:00", "-11:30", "+23:59"])
fractions = st.sampled_from(["", ".0", ".000", ".000000000"])
moments = st.datetimes().map(lambda moment: moment.replace(microsecond=0))
digits = st.from_regex(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9]", fullmatch=True
)
# What is said of each text; texts are apart by a bar.
REJECTED = {
    "send YYYY-MM-DDTHH:MM:SS, for example 2024-01-31T00:00:00": "| |now|1706659200|2024/01/31"
    "|2024/01/31T00:00:00|2024-02-30|2024-01-31 00:00:00.5|2024-01-31 00:00:00+02:00:30"
    "|2024-1-31T0:00:00|31-01-2024T00:00:00|31.01.2024 00:00:00| 2024-01-31T00:00:00"
    "|+2024-01-31T00:00:00|-2024-01-31T00:00:00|+002024-01-31T00:00:00|-024-01-31T00:00:00"
    "|12024-01-31T00:00:00|2024-031T00:00:00|２０２４-01-31T00:00:00"
    "|2024−01−31T00:00:00|2024-01-31T00:00:0٣|2024-01-3\ud800T00:00:00",
    "the year 0000 is not in the calendar": "0000-01-31T00:00:00",
    "{date} is not a date of the calendar": "2023-02-30T00:00:00|2023-02-29T00:00:00"
    "|1900-02-29T00:00:00|2024-04-31T00:00:00|2024-00-01T00:00:00|2024-13-01T00:00:00|2024-01-00T00:00:00"
    "|2024-01-32T00:00:00",
    "{time} is not a time of day": "2024-01-31T24:00:00|2024-01-31T00:60:00|2016-12-31T23:59:60",
    "fractions of a second are not supported": "2024-01-31T00:00:00.5|2024-01-31T00:00:00.001"
    "|2024-01-31T00:00:00.0000000000|2024-01-31T00:00:00.001Z",
    "after the seconds only": "2024-01-31T00:00:00.|2024-01-31T00:00:00.0.0|2024-01-31T00:00:00,0"
    "|2024-01-31T00:00:00 |2024-01-31T00:00:00\n|2024-01-31T00:00:00\0|2024-01-31T00:00:00z"
    "|2024-01-31T00:00:00+0200|2024-01-31T00:00:00+02|2024-01-31T00:00:00+24:00"
    "|2024-01-31T00:00:00+02:60|2024-01-31T00:00:00−02:00|2024-01-31T00:00:00+0٢:00"
    "|2024-01-31T00:00:00 +02:00|2024-01-31T00:00:00Z+02:00|2024-01-31T00:00:00Z[Europe/Paris]",
    "the first timestamp has no offset, this one ends in 'Z'": "2024-01-31T00:00:00Z",
}
_GRAMMAR = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.0{1,9})?(Z|[+-](\d\d):(\d\d))?", re.ASCII
)


def issues_of(texts: list[str]) -> dict[int, str]:
    with pytest.raises(TimestampErrors) as caught:
        parse_timestamps(texts)
    return dict(caught.value.defects)


@settings(deadline=None)
@given(st.lists(moments, min_size=1), suffixes, st.data())
def test_times_equal_those_of_python_with_any_fraction_and_suffix(
    series: list[datetime], suffix: str, data: st.DataObject
) -> None:
    texts = [moment.isoformat() + data.draw(fractions) + suffix for moment in series]
    parsed = parse_timestamps(texts)
    assert parsed.times.tolist() == series
    assert parsed.times.dtype == "datetime64[s]"
    assert parsed.suffix == suffix


@settings(deadline=None)
@given(st.lists(moments, min_size=1), suffixes)
def test_timestamps_are_formatted_as_python_does(series: list[datetime], suffix: str) -> None:
    times = np.array(series, "datetime64[s]")
    assert format_timestamps(times, suffix) == [moment.isoformat() + suffix for moment in series]


@settings(deadline=None)
@given(st.lists(digits, min_size=1))
@example(["0000-01-01T00:00:00"])
@example(["1900-02-29T00:00:00", "2000-02-29T00:00:00"])
@example(["2024-01-01T24:00:00"])
@example(["2016-12-31T23:59:60"])
@example(["2024-13-01T00:00:00"] * (MAX_DEFECTS + 1))
def test_only_times_that_python_can_represent_are_accepted(texts: list[str]) -> None:
    wrong = [index for index, text in enumerate(texts) if not is_moment(text)]
    if wrong:
        assert list(issues_of(texts)) == wrong[:MAX_DEFECTS]
    else:
        assert parse_timestamps(texts).times.size == len(texts)


def is_moment(text: str) -> bool:
    try:
        datetime(*map(int, re.findall("[0-9]+", text)))
    except ValueError:
        return False
    return True


def test_years_are_written_with_four_digits_and_no_fraction() -> None:
    assert format_timestamps(np.array([FIRST_TIME, FIRST_TIME + 59, LAST_TIME]), "-05:00") == [
        "0001-01-01T00:00:00-05:00",
        "0001-01-01T00:00:59-05:00",
        "9999-12-31T23:59:59-05:00",
    ]


def test_no_strings_give_no_times() -> None:
    parsed = parse_timestamps([])
    assert (parsed.times.shape, parsed.suffix) == ((0,), "")


@pytest.mark.parametrize(
    ("text", "words"),
    [(text, words) for words, texts in REJECTED.items() for text in texts.split("|")],
)
def test_a_text_that_is_not_a_timestamp_is_rejected_with_what_is_wrong(
    text: str, words: str
) -> None:
    issues = issues_of([FIRST, text, FIRST])
    assert list(issues) == [1]
    assert issues[1].startswith("invalid timestamp format: ")
    date, _, time = text.partition("T")
    assert words.format(date=date, time=time) in issues[1]
    assert "send " in issues[1]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2024-02-29", "2024-02-29T00:00:00"),
        ("20240229", "2024-02-29T00:00:00"),
        ("2024-W05-3", "2024-01-31T00:00:00"),
        ("0024-01-31T07:30", "0024-01-31T07:30:00"),
        ("2024-01-31 07:30:05", "2024-01-31T07:30:05"),
        ("2024-01-31t07:30:05.000", "2024-01-31T07:30:05"),
        ("20240131T073005Z", "2024-01-31T07:30:05Z"),
        ("2024-01-31 07:30:05-05:00", "2024-01-31T07:30:05-05:00"),
    ],
)
def test_another_iso_8601_form_is_rejected_with_the_expected_form(text: str, meant: str) -> None:
    """Only a date, which pandas and spreadsheets write, is its midnight."""
    issue = f"invalid timestamp format: send YYYY-MM-DDTHH:MM:SS, here {meant}"
    assert issues_of([text] * 3) == dict.fromkeys(range(3), issue)
    if meant[-1] != "Z" and "-05:" not in meant:
        assert issues_of([FIRST + "+01:00", text])[1] == f"{issue}+01:00"


@given(st.text(max_size=50) | st.datetimes().map(str) | st.dates().map(str))
def test_the_form_that_a_rejection_quotes_is_a_timestamp(text: str) -> None:
    issue = issues_of([text]).get(0, "")
    _send, here, meant = issue.partition(", here ")
    assert not here or parse_timestamps([meant]).times.size == 1


@pytest.mark.parametrize("text", ["2024-01-31", FIRST + "z", FIRST + ".5", "２" * 19, "x" * 5_000])
def test_each_entry_of_a_series_of_one_bad_string_is_rejected(text: str) -> None:
    assert list(issues_of([text] * 5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("texts", "at", "words"),
    [
        ([FIRST + "Z", FIRST + "+01:00"], 1, "first timestamp ends in 'Z', this one ends in '+01"),
        ([FIRST + "Z", FIRST], 1, "first timestamp ends in 'Z', this one has no offset"),
        ([FIRST + "+00:00", FIRST + ".0Z"], 1, "ends in '+00:00', this one ends in 'Z'"),
        ([FIRST + "+01:00", FIRST + "+02:00"], 1, "ends in '+01:00', this one ends in '+02:00'"),
        (["bad", FIRST + "Z", FIRST], 2, "first timestamp ends in 'Z', this one has no offset"),
    ],
)
def test_an_offset_that_changes_is_rejected_where_it_changes(
    texts: list[str], at: int, words: str
) -> None:
    assert words in issues_of(texts)[at]
    assert "send one offset for the whole series" in issues_of(texts)[at]


def test_a_bad_first_string_leaves_the_others_valid() -> None:
    assert list(issues_of(["2024-02-30T00:00:00Z", FIRST + "Z", FIRST + "Z"])) == [0]


@pytest.mark.parametrize("wrong", ["2023-02-29T00:00:00", "2024-01-01T24:00:00", "x" * 19])
def test_one_unreal_time_in_a_long_series_is_rejected(wrong: str) -> None:
    # Numpy's reading of strings as datetime64 ends the process there.
    assert list(issues_of([*[FIRST] * 49_999, wrong])) == [49_999]


def test_every_day_of_four_centuries_and_no_other_date_is_read() -> None:
    months = [f"{year:04}-{month:02}" for year in range(1800, 2200) for month in range(1, 13)]
    dates = [f"{month}-{day:02}T00:00:00" for month in months for day in range(1, 32)]
    real = [date for date in dates if is_moment(date)]
    unreal = [date for date in dates if not is_moment(date)]
    assert parse_timestamps(real).times.tolist() == [datetime.fromisoformat(date) for date in real]
    for index in range(0, len(unreal), MAX_DEFECTS):
        batch = unreal[index : index + MAX_DEFECTS]
        assert list(issues_of(batch)) == list(range(len(batch)))


def test_at_most_20_defects_are_reported_in_the_order_of_the_series() -> None:
    assert list(issues_of([FIRST, *["x"] * 30])) == list(range(1, 21))


def test_an_issue_never_repeats_a_long_string() -> None:
    assert len(issues_of([FIRST, FIRST + "Z" * 100_000])[1]) < 250


def is_timestamp(text: str) -> bool:
    match = _GRAMMAR.fullmatch(text)
    if match is None or int(match[8] or 0) > 23 or int(match[9] or 0) > 59:
        return False
    try:
        datetime(*map(int, match.groups()[:6]))  # type: ignore[arg-type]
    except ValueError:
        return False
    return True


@settings(deadline=None)
@given(moments, fractions, suffixes, st.data())
def test_a_changed_character_is_rejected_unless_it_leaves_a_timestamp(
    moment: datetime, fraction: str, suffix: str, data: st.DataObject
) -> None:
    text = moment.isoformat() + fraction + suffix
    index = data.draw(st.integers(0, len(text) - 1))
    mark = data.draw(st.one_of(st.sampled_from("0123456789-+:.TZ tz٣２"), st.characters()))
    changed = text[:index] + mark + text[index + data.draw(st.integers(0, 1)) :]
    if is_timestamp(changed):
        assert parse_timestamps([changed]).times.tolist() == [datetime.fromisoformat(changed[:19])]
    else:
        assert list(issues_of([changed])) == [0]
        assert 0 in issues_of([changed, text])
