"""Numbers that stand for missing values are not read; those that may be real ones are kept."""

import pytest

from tests.tables.tables import notes_of, read_text

REAL = [3.5, 4.1, 0, 8.25, 12, 7.5, 6, 2.2, 9.9, 5, 11.5, 4]


def read_days(values: list[float]) -> tuple[list[float], str]:
    reading = read_text([f"2024-01-{day:02},{value}" for day, value in enumerate(values, 1)])
    return list(reading.series[0].values), notes_of(reading)


@pytest.mark.parametrize("code", [-999, -9999, -99.9, -999.99])
def test_a_code_far_below_all_values_is_missing(code: float) -> None:
    values, message = read_days([*REAL[:6], code, *REAL[6:]])
    assert values == REAL
    assert f"{code:g} in “Column 2”: far from all other values, so read as missing." in message


def test_a_code_far_above_is_missing_if_it_is_repeated() -> None:
    assert read_days([*REAL[:6], 9999, 9999, *REAL[6:]])[0] == REAL
    single = [*REAL[:6], 9999, *REAL[6:]]
    assert read_days(single)[0] == single


def test_two_codes_are_missing_both() -> None:
    assert read_days([*REAL[:6], -999, -9999, *REAL[6:]])[0] == REAL


@pytest.mark.parametrize("factor", [100, 1000])
def test_a_single_refund_of_999_is_a_value(factor: int) -> None:
    values = [*(factor * value for value in REAL), -999, 500]
    assert read_days(values)[0] == values


def test_a_column_of_only_codes_gives_no_series() -> None:
    reading = read_text(
        ["day,rain,snow", *(f"2024-01-{day:02},{value},-999" for day, value in enumerate(REAL, 1))]
    )
    assert [series.name for series in reading.series] == ["rain"]
