"""The holidays of countries and their parts, from the library."""

import sys

import holidays
import numpy as np
import pytest

from app.timeseries.calendar.countries import country_code_by_name, country_codes, public_holidays
from tests.support.programs import output_of


def holidays_by_date(code, first, last):
    days = public_holidays(code, first, last)
    return {str(np.datetime64(day, "D")): name for day, name in days.items()}


def test_a_part_of_a_country_has_its_own_holidays() -> None:
    part, country = holidays_by_date("AU-VIC", 2023, 2023), holidays_by_date("AU", 2023, 2023)
    assert part["2023-11-07"] == "Melbourne Cup Day"
    assert "2023-11-07" not in country
    assert country.keys() < part.keys()


def test_a_day_in_lieu_is_not_an_occurrence_of_a_holiday_that_is_also_listed() -> None:
    by_date = holidays_by_date("US", 2020, 2021)
    assert by_date["2021-12-25"] == "Christmas Day"
    assert by_date["2021-12-24"] == "Christmas Day, in lieu"
    assert by_date["2021-12-31"] == "New Year's Day, in lieu"  # of 2022


def test_an_estimated_date_has_the_name_of_its_holiday() -> None:
    estimated = holidays_by_date("SA", 2040, 2040)
    assert not [name for name in estimated.values() if "(" in name]


@pytest.mark.parametrize("years", [(1, 1), (1950, 1969), (2051, 2060), (9999, 10_000)])
def test_unknown_years_have_no_holidays(years) -> None:
    assert public_holidays("DE-BY", *years) == {}


def test_the_first_and_the_last_year_are_known() -> None:
    by_date = holidays_by_date("GB-ENG", 1, 9999)
    assert min(by_date) < "1970-04"
    assert "2050-12-26" in by_date
    assert {date[:4] for date in by_date} == {str(year) for year in range(1970, 2051)}


def test_every_code_has_holidays() -> None:
    codes = country_codes()
    assert len(codes) > 200
    assert {"AU-VIC", "AU-NSW"} <= set(codes["AU"])
    assert codes["SG"] == ()
    without = [code for code in codes if not public_holidays(code, 2015, 2024)]
    assert without == ["BV", "HM", "IO"]  # islands where nobody lives


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *(("Germany", "DE"), ("germany", "DE"), ("UK", "GB"), ("United States", "US")),
        *(("aus", "AU"), ("NYSE", None), ("ECB", None), ("", None), ("Atlantis", None)),
        ("country_holidays", None),
    ],
)
def test_a_country_is_known_by_its_other_names(name, code) -> None:
    assert country_code_by_name(name) == code


def test_only_countries_of_the_holidays_library_are_offered() -> None:
    codes = country_codes()
    assert {country_code_by_name(name) for name in dir(holidays)} <= {None, *codes}


def test_the_library_is_imported_only_when_it_is_asked() -> None:
    code = (
        "import sys, app.timeseries.calendar.countries as c, app.forecasting.forecast, app.api\n"
        "before = 'holidays' in sys.modules; c.country_codes()\n"
        "print(before, 'holidays' in sys.modules)"
    )
    assert output_of([sys.executable, "-c", code]).split() == ["False", "True"]
