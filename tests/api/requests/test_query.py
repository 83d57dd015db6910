"""A query is read as strictly as a body, and errors name the parameter and the remedy."""

from typing import Any

import pytest
from marshmallow import fields, validate
from werkzeug.test import EnvironBuilder

from app.api.errors.api_error import ApiError
from app.api.errors.validation import load_all
from app.api.requests.query import IntegerParameter, StrictQuerySchema

UNKNOWN = "unknown parameter: remove it or check its spelling; known are after, limit"
NOT_WHOLE = "Must be a whole number, in digits"


class PageSchema(StrictQuerySchema):
    after = fields.String()
    limit = IntegerParameter(load_default=100, validate=validate.Range(1, 100, error="1 to 100"))


def load(query: str) -> Any:
    """Load a query string."""
    (loaded,) = load_all([(PageSchema(), EnvironBuilder(query_string=query).get_request().args)])
    return loaded


def defects(query: str) -> list[tuple[str, str, Any]]:
    with pytest.raises(ApiError) as caught:
        load(query)
    assert caught.value.status == 400
    return [tuple(defect.values()) for defect in caught.value.details["errors"]]


def test_parameters_are_decoded_and_converted() -> None:
    assert load("") == {"limit": 100}
    assert load("limit=007&after=%C3%A9%2B+1") == {"limit": 7, "after": "é+ 1"}


@pytest.mark.parametrize("sent", ["x", "", "1.0", "1e1", "1_0", "+7", " 7", "7 ", "٣"])
def test_a_whole_number_is_digits(sent: str) -> None:
    query = "limit=" + sent.replace("+", "%2B").replace(" ", "%20")
    assert [defect[:2] for defect in defects(query)] == [("limit", NOT_WHOLE)]


@pytest.mark.parametrize("sent", ["9" * 19, "-" + "9" * 5000])
def test_a_number_of_too_many_digits_is_rejected_with_the_most(sent: str) -> None:
    assert defects(f"limit={sent}")[0][1] == "Must have at most 18 digits"


def test_a_number_out_of_range_is_rejected() -> None:
    assert defects("limit=-1") == [("limit", "1 to 100", "-1")]


@pytest.mark.parametrize("name", ["_schema", "page", ""])
def test_an_unknown_parameter_is_rejected_once_with_those_that_are_known(name: str) -> None:
    assert defects(f"{name}=1&{name}=2") == [(name, UNKNOWN, "1")]


@pytest.mark.parametrize("name", ["Limit", "limits", "limit[]"])
def test_the_parameter_that_an_unknown_one_is_near_to_is_named(name: str) -> None:
    asked = UNKNOWN.replace("remove", "did you mean limit? remove")
    assert defects(f"{name}=1") == [(name, asked, "1")]


def test_a_parameter_is_sent_once() -> None:
    assert defects("after=1&limit=2&after=1&after=3") == [
        ("after", "sent 3 times: send it once", "1")
    ]


def test_problems_are_reported_together() -> None:
    results = {(name, issue) for name, issue, _provided in defects("limit=x&limit=y&x=1")}
    assert results == {
        ("limit", NOT_WHOLE),
        ("limit", "sent 2 times: send it once"),
        ("x", UNKNOWN),
    }


def test_unknown_parameters_are_listed_up_to_the_maximum_of_an_error() -> None:
    assert len(defects("&".join(f"x{i}=1" for i in range(900)))) == 20
