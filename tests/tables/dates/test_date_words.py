"""Quarters, months and clocks in the words of many countries: read, and written back alike."""

import numpy as np
import pytest

from app.tables.dates.cells import is_date
from app.tables.dates.clocks import HAS_CLOCK, TIME_OF_DAY
from app.tables.dates.month_names import weekday_names_like
from app.tables.forecasts.dates import DateWriter
from app.tables.reading import Reading
from tests.tables.kinds.case import days, draw, to_text
from tests.tables.tables import read_text, rejection_of, requirements

QUARTERS = [(2021 + i // 4, 1 + i % 4) for i in range(14)]
MONTHS = [(2022 + i // 12, 1 + i % 12) for i in range(16)]
HOURS = [(day, hour) for day in (14, 15) for hour in range(24)]


def written_dates(reading: Reading) -> list[str]:
    """Return the dates of the only series, in the form of the table."""
    [series] = reading.series
    times = np.array(series.timestamps, dtype="datetime64[s]")
    return [cell.text for cell in DateWriter(reading.notation.date_form, "", None).cells(times)]


@pytest.mark.parametrize(
    "form",
    [
        *("{year}K{n}", "{year}-T{n}", "{n}T{short}", "{year}-{n}T", "{n}º tri. {year}"),
        *(
            "{last} Qtr {year}",
            "{last}-{year} qtr",
            "{year} {last} quarter",
            "{last} quarter {short}",
        ),
        *("{year}年第{sign}季度", "{year}年第{n}季度", "{year}年{n}季度", "{year}年第{n}四半期"),
        *("{year}年{first}-{final}月", "{year}年{first}～{final}月期", "{year}.{n}/4"),
        *("{year}년 {n}분기", "{year} {n}분기", "{year}년 {n}/4분기"),
        *(
            "Quý {n} năm {year}",
            "quý {roman}/{year}",
            "Triwulan {roman} {year}",
            "TW {roman} {year}",
        ),
        *("Ç{n} {year}", "{year} Ç{n}", "Trim {roman} {year}", "{year} {roman} ketv."),
        *("{n}.Vj {year}", "{year} {n}. Vj.", "{n}. Vierteljahr {year}", "{year} kv{n}"),
        *("Τρίμηνο {n} {year}", "ไตรมาส {n}/{buddhist}"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_quarters_are_read_and_written_in_the_words_of_their_country(
    form: str, delimiter: str
) -> None:
    dates = [
        form.format(
            year=year,
            short=year % 100,
            buddhist=year + 543,
            n=n,
            first=3 * n - 2,
            final=3 * n,
            sign="一二三四"[n - 1],
            roman=("I", "II", "III", "IV")[n - 1],
            last=("Mar", "Jun", "Sep", "Dec")[n - 1],
        )
        for year, n in QUARTERS
    ]
    rows = [f"{date}{delimiter}{300 + i}" for i, date in enumerate(dates)]
    reading = read_text(to_text(f"date{delimiter}value", rows))
    [series] = reading.series
    assert series.timestamps[:2] == ["2021-01-01T00:00:00", "2021-04-01T00:00:00"]
    assert (series.data_frequency, len(series.values)) == ("Quarterly", 14)
    assert written_dates(reading) == dates


@pytest.mark.parametrize(
    "form", ["{year}K{n}", "{year}.{n}/4", "{year}年第{n}季度", "{year}년 {n}분기"]
)
def test_quarters_side_by_side_are_read(form: str) -> None:
    header = [form.format(year=year, n=n) for year, n in QUARTERS]
    rows = [",".join([name, *map(str, range(2000, 2014))]) for name in ("north", "south")]
    reading = read_text(to_text(",".join(["area", *header]), rows))
    assert [series.name for series in reading.series] == ["north", "south"]
    assert reading.series[0].timestamps[-1] == "2024-04-01T00:00:00"


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{year}.{n:02} 월",
            "{year}.{n:02}월",
            "{year}-{n:02}월",
            "{year}. {n:02}",
            "{year} {n:02}",
        ),
        *("{short}년 {n}월", "{n}月 {year}", "{year}M{n}", "P{n:02}/{year}", "{year}/P{n:02}"),
    ],
)
def test_months_are_read_and_written_in_the_words_of_their_country(form: str) -> None:
    dates = [form.format(year=year, short=year % 100, n=n) for year, n in MONTHS]
    rows = [f"{date},{300 + i}" for i, date in enumerate(dates)]
    reading = read_text(to_text("month,value", rows))
    [series] = reading.series
    assert (series.data_frequency, len(series.values)) == ("Monthly", 16)
    assert series.timestamps[0] == "2022-01-01T00:00:00"
    assert written_dates(reading) == dates


def test_korean_months_side_by_side_are_the_dates() -> None:
    header = [f"2023.{month:02} 월" for month in range(1, 13)]
    rows = [",".join([name, *map(str, range(1990, 2002))]) for name in ("서울", "부산")]
    reading = read_text(to_text(",".join(["시도별", *header]), rows))
    assert [series.name for series in reading.series] == ["서울", "부산"]
    assert reading.series[0].data_frequency == "Monthly"


def test_the_mark_of_provisional_months_is_not_written() -> None:
    months = [f"2023.{month:02}" for month in range(1, 13)]
    rows = [f"{month}{' p)' * (i > 9)},{300 + i}" for i, month in enumerate(months)]
    assert written_dates(read_text(to_text("month,value", rows))) == months


@pytest.mark.parametrize("word", ["년", " 년", "年"])
def test_years_with_a_word_are_read_down_and_across(word: str) -> None:
    years = [f"{year}{word}" for year in range(2001, 2021)]
    down = read_text(to_text("year,value", [f"{year},{100 + i}" for i, year in enumerate(years)]))
    assert down.series[0].timestamps[0] == "2001-01-01T00:00:00"
    across = read_text(to_text(",".join(["area", *years]), [f"a{',7' * 20}", f"b{',9' * 20}"]))
    assert across.series[1].timestamps[-1] == "2020-01-01T00:00:00"


def half_hour(hour: int, first: str, second: str) -> str:
    return first if hour < 12 else second


@pytest.mark.parametrize(
    "form",
    [
        *("2025-09-{day} {korean} {h}:00:00", "2025. 9. {day}. {korean} {h}:00:00"),
        *("2025/9/{day} {chinese} {h:02}:00:00", "2025年9月{day}日 {chinese}{h}:00"),
        *(
            "2025/09/{day} {japanese}{h}:00",
            "2025年9月{day}日{hour}時",
            "2025年9月{day}日 {hour}時00分",
        ),
        *(
            "2025년 9월 {day}일 {hour}시",
            "{day}/9/2025 {h}:00 {greek}",
            "{day}/09/2025 {h}:00 {arabic}",
        ),
        *("{day}.9.2025 {hour}.00", "{day}.9.2025 klo {hour:02}.00", "{day}/09/2025 {hour:02}.00"),
        *(
            "{day}/09/2025 à {hour:02}:00",
            "Sep {day}, 2025 {h}{english}",
            "Sep {day}, 2025 at {h}:00{english}",
        ),
    ],
)
def test_clocks_are_read_and_written_in_the_words_of_their_country(form: str) -> None:
    dates = [
        form.format(
            day=day,
            hour=hour,
            h=(hour - 1) % 12 + 1,
            korean=half_hour(hour, "오전", "오후"),
            chinese=half_hour(hour, "上午", "下午"),
            japanese=half_hour(hour, "午前", "午後"),
            greek=half_hour(hour, "πμ", "μμ"),
            arabic=half_hour(hour, "ص", "م"),
            english=half_hour(hour, "am", "pm"),
        )
        for day, hour in HOURS
    ]
    reading = read_text(
        to_text("time;value", [f"{date};{300 + i}" for i, date in enumerate(dates)])
    )
    [series] = reading.series
    assert (series.data_frequency, series.step, len(series.values)) == ("Hours", 1, 48)
    assert series.timestamps[0] == "2025-09-14T00:00:00"
    assert written_dates(reading) == dates


def test_hours_from_0_of_half_days_are_written_as_timestamps() -> None:
    dates = [
        f"2025/09/{day} {half_hour(hour, '午前', '午後')}{hour % 12}:00" for day, hour in HOURS
    ]
    reading = read_text(
        to_text("time;value", [f"{date};{300 + i}" for i, date in enumerate(dates)])
    )
    assert written_dates(reading) == list(reading.series[0].timestamps)


@pytest.mark.parametrize("clock", ["{korean} {h}:00", "{h}pm", "{hour}時"])
def test_clocks_in_a_column_of_their_own_are_joined_to_the_dates(clock: str) -> None:
    rows = [
        f"2025-09-{day};{clock.format(korean='오후', h=hour, hour=hour + 12)};{day * 12 + hour}"
        for day in (14, 15, 16)
        for hour in range(1, 12)
    ]
    reading = read_text(to_text("date;time;value", rows))
    assert [series.name for series in reading.series] == ["value"]
    assert reading.series[0].timestamps[0] == "2025-09-14T13:00:00"


@pytest.mark.parametrize(
    "form", ["{year}K{n}", "{n}T{short}", "C{n} {year}", "{year} {n:02}", "{year}P{n}"]
)
def test_codes_that_look_like_quarters_or_months_are_not_dates(form: str) -> None:
    codes = [
        form.format(year=2010 + i * 7 % 13, short=10 + i * 7 % 45, n=1 + i % 3) for i in range(40)
    ]
    rows = [
        f"{day};{code};{30 + i * 5 % 9}"
        for i, (day, code) in enumerate(zip(days("2024-01-01", 40), codes, strict=True))
    ]
    reading = read_text(to_text("day;code;value", rows))
    assert requirements(reading) == []
    assert reading.chosen.dates == "day"
    assert rejection_of(
        to_text("code;value", [row[11:] for row in rows]).encode()
    ).issue.startswith("no column of dates")


@pytest.mark.parametrize("cell", ["3 t 50", "2 t", "1t 20", "5点"])
def test_amounts_with_a_unit_are_not_quarters_or_clocks(cell: str) -> None:
    assert not is_date(cell)
    assert TIME_OF_DAY.fullmatch(cell) is None


def test_numbers_behind_days_and_years_are_values_and_not_clocks_or_months() -> None:
    values = [f"{1 + i % 23}.{10 + i % 50}" for i in range(30)]
    rows = [f"{day} {value}" for day, value in zip(days("2024-01-01", 30), values, strict=True)]
    [series] = read_text("\n".join(rows)).series
    assert series.values == list(map(float, values))
    [series] = read_text("\n".join(f"{1990 + i} {1 + i % 12:02}" for i in range(30))).series
    assert series.values == [1 + i % 12 for i in range(30)]


def test_coded_half_years_are_not_weeks_and_are_read_without_averages() -> None:
    rows = [f"{year},S0{n},{100 * n + year % 10}" for year in range(2014, 2024) for n in (1, 2, 3)]
    [series] = read_text(to_text("year,period,value", rows)).series
    assert series.timestamps[:2] == ["2014-01-01T00:00:00", "2014-07-01T00:00:00"]
    assert max(series.values) < 300


@pytest.mark.parametrize("form", ["{year}年", "{year}年{n}月"])
def test_years_of_taiwan_below_100_are_read_beside_later_ones(form: str) -> None:
    parts = (1,) if "{n}" not in form else range(1, 13)
    rows = [f"{form.format(year=year, n=n)},{year + n}" for year in range(95, 114) for n in parts]
    [series] = read_text(to_text("time,value", rows)).series
    assert series.timestamps[0] == "2006-01-01T00:00:00"
    assert len(series.values) == 19 * len(parts)
    short = [row for row in rows if len(row.partition("年")[0]) == 2]
    assert "no column of dates" in rejection_of(to_text("time,value", short).encode()).issue


def test_the_patterns_of_clocks_take_linear_time() -> None:
    for text in ("오후 " * 50_000, "1" * 100_000, "12:00 " * 20_000, "12 abc. " * 12_000):
        assert TIME_OF_DAY.fullmatch(text) is None
        HAS_CLOCK.search(text + "x")


def test_values_of_quarters_keep_their_order() -> None:
    values = draw(12, 900, 0)
    rows = [f"{year}K{n};{v:.0f}" for (year, n), v in zip(QUARTERS, values, strict=False)]
    [series] = read_text(to_text("kvartal;antal", rows[::-1])).series
    assert series.values == values


def test_days_of_the_week_in_one_of_several_languages_are_not_guessed() -> None:
    monday, tuesday, wednesday, friday = 0, 1, 2, 4
    seen = {monday: "lun", tuesday: "mar", wednesday: "mer", friday: "ven"}  # French, or Italian
    names = weekday_names_like(seen)
    assert names == ["lun", "mar", "mer", None, "ven", None, None]
    assert weekday_names_like({monday: "lun", 3: "jeu"})[5] == "sam"
