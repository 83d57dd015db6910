"""The codes that the page offers for holidays, without a browser."""

import sys

import pytest
from flask.testing import FlaskClient

from app.timeseries.calendar.countries import country_codes
from app.web.pages.holiday_codes import HOLIDAY_CODES


def test_the_page_offers_the_codes_that_the_service_knows() -> None:
    known = [
        word
        for country, parts in country_codes().items()
        for word in (country, *(part.removeprefix(country) for part in parts))
    ]
    assert HOLIDAY_CODES.split() == known, f"write into holiday_codes.py: {' '.join(known)}"


def test_the_page_is_served_without_importing_the_library(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    country_codes.cache_clear()
    monkeypatch.setitem(sys.modules, "holidays", None)  # to import it fails
    with pytest.raises(ImportError):
        country_codes()
    page = client.get("/")
    assert page.status_code == 200
    assert " -BY " in page.text
