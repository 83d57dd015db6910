"""Quarters by their numbers, which look like months."""

import pytest

from tests.tables.tables import read_text


def quarter_lines(count: int, mark: str = "/", flag: str = "", per_year: int = 4) -> list[str]:
    periods = (f"{2015 + i // per_year}{mark}{i % per_year + 1:02}" for i in range(count))
    return ["Period;Output", *(f"{period}{flag};{100 + i}" for i, period in enumerate(periods))]


@pytest.mark.parametrize("mark", ["/", "-"])
@pytest.mark.parametrize("flag", ["", " r1/", " p"])
def test_numbers_that_begin_again_after_four_are_quarters(mark: str, flag: str) -> None:
    [series] = read_text(quarter_lines(38, mark, flag)).series
    assert series.data_frequency == "Quarterly"
    assert series.timestamps[0].startswith("2015-01-01")
    assert series.timestamps[-1].startswith("2024-04-01")
    assert len(series.values) == 38


def test_a_year_and_a_quarter_in_five_digits_are_no_serial_date() -> None:
    [series] = read_text([line.replace("/0", "") for line in quarter_lines(38, "/")]).series
    assert (series.data_frequency, series.timestamps[4][:10]) == ("Quarterly", "2016-01-01")


def test_the_newest_quarter_may_come_first() -> None:
    head, *rows = quarter_lines(12)
    [series] = read_text([head, *reversed(rows)]).series
    assert series.data_frequency == "Quarterly"
    assert series.values[:2] == [100, 101]


def test_flags_of_only_the_newest_quarters_are_read() -> None:
    rows = [*quarter_lines(30), "Source: the office", "r: revised", "p: provisional"]
    rows[27:31] = [row.replace(";", " r1/;") for row in rows[27:31]]
    [series] = read_text(rows).series
    assert len(series.values) == 30


def test_months_remain_months() -> None:
    [series] = read_text(quarter_lines(24, per_year=12)).series
    assert series.data_frequency == "Monthly"


def test_weeks_of_statistics_netherlands_that_count_to_four_are_quarters() -> None:
    rows = [f"{2022 + n // 4}KW0{n % 4 + 1};{100 + n * 37 % 91}" for n in range(16)]
    [series] = read_text(["Perioden;Omzet", *rows]).series
    assert (series.data_frequency, len(series.values)) == ("Quarterly", 16)
    rows = [f"2022KW{n + 1:02};{100 + n * 37 % 91}" for n in range(30)]
    [series] = read_text(["Perioden;Omzet", *rows]).series
    assert (series.data_frequency, len(series.values)) == ("Weekly", 30)


def test_months_and_whole_years_of_statistics_netherlands_are_known() -> None:
    months = [f"{2022 + n // 12}MM{n % 12 + 1:02};{100 + n * 37 % 91}" for n in range(24)]
    rows = [*months[:12], "2022JJ00;1500", *months[12:], "2023JJ00;1600"]
    [series] = read_text(["Perioden;Omzet", *rows]).series
    assert (series.data_frequency, len(series.values)) == ("Monthly", 24)
