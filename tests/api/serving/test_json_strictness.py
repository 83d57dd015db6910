"""Strict JSON: media type, syntax and numbers; and the order of errors."""

import gzip
from typing import Any

import orjson
import pytest

from app.api.requests.malformed_json import HALF_CHARACTER, TOO_LARGE
from app.core.memory_units import MEBIBYTE
from tests.support.api import Api, details_of, first_defect
from tests.support.series import daily_body, regular_body

GOOD = orjson.dumps(daily_body())
FIRST_VALUE = b'"values":[100.0,'
HORIZON = b'"forecast_horizon":5'
NOT_JSON = b"NaN Infinity -Infinity None 1e400 -1e400 +1 01 .5 5. 0x10 1_000"
REASONS: list[tuple[bytes, str]] = [
    (b'{"a":\n "\xc3\xa9\xff"}', "byte 0xff is not UTF-8: line 2 column 4 (char 9)"),
    (b'{"a":"\xed\xa0\x80"}', "byte 0xed is not UTF-8: line 1 column 7 (char 6)"),
    (b'{"a":"\\ud800"}', f"{HALF_CHARACTER}: line 1 column 7 (char 6)"),
    (b'{"\xc3\xa9":x}', "unexpected character, expected a JSON value: line 1 column 6 (char 5)"),
    (b"\xef\xbb\xbf{}", "it starts with a byte order mark: line 1 column 1 (char 0)"),
    (b"\x1f\x8b\x08\x00", "it is compressed with gzip"),
    (b"", "it is empty: line 1 column 1 (char 0)"),
    (b"[" * 2000, "it is nested deeper than any request: line 1 column 1026 (char 1025)"),
]
NUMBER = "send a number there; fill gaps before you send the series"
VALUE = "send a value there that JSON has, such as a number or a text in quotes"
INDEX = "(index 1 of an array): line 1 column 9 (char 8)"
NO_NUMBERS: list[tuple[bytes, str, str]] = [
    (b'{"\xc3\xa9":NaN}', "NaN is not JSON: line 1 column 6 (char 5)", VALUE),
    (
        b'{"a":[[1,2],[3.5,-1e3, NaN]]}',
        "NaN is not JSON (index 2 of an array): line 1 column 24 (char 23)",
        NUMBER,
    ),
    (b'{"a":["1,2",NaN]}', "NaN is not JSON: line 1 column 13 (char 12)", VALUE),
    (
        b'{"a":[Infinity]}',
        "Infinity is not JSON (index 0 of an array): line 1 column 7 (char 6)",
        NUMBER,
    ),
    (b'{"a":[1,None,3]}', f"None is not JSON {INDEX}", NUMBER),
    (b'{"a":[1,nan]}', f"nan is not JSON {INDEX}", NUMBER),
    (b'{"a":[1,inf]}', f"inf is not JSON {INDEX}", NUMBER),
    (
        b'{"a":[1,-inf]}',
        "-inf is not JSON (index 1 of an array): line 1 column 10 (char 9)",
        NUMBER,
    ),
    (b'{"a":[1,,3]}', f"a value is missing {INDEX}", NUMBER),
    (b'{"confidence":}', "a value is missing: line 1 column 15 (char 14)", VALUE),
    (
        b'{"a":\n[1, 1e400]}',
        f"{TOO_LARGE} (index 1 of an array): line 2 column 5 (char 10)",
        "send a smaller number there",
    ),
]
NO_OBJECTS = [
    (b"[]", "an array"),
    (b"[" + GOOD + b"]", "an array"),
    (b'"Daily"', "a string"),
    (b"5", "a number"),
    (b"0.5", "a number"),
    (b"true", "true or false"),
    (b"null", "null"),
]


def body_with_replaced(old: bytes, new: bytes) -> bytes:
    """Return the good body with some bytes replaced."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def body_with_value(text: bytes) -> bytes:
    """Return the good body with another first value."""
    return body_with_replaced(FIRST_VALUE, b'"values":[' + text + b",")


def body_with_frequency(text: bytes) -> bytes:
    """Return the good body with another string as data frequency."""
    return body_with_replaced(b'"Daily","forecast', b'"' + text + b'","forecast')


def nested_array(depth: int) -> bytes:
    """Return an array in an array in an array."""
    return b"[" * depth + b"]" * depth


BROKEN: dict[str, bytes] = {
    "nothing": b"",
    "a space": b" ",
    "a word": b"hello",
    "form data": b"series=1&forecast_horizon=5",
    "an end too early": GOOD[:-1],
    "something after the end": GOOD + b"}",
    "two bodies": GOOD + GOOD,
    "a comma too many": body_with_replaced(HORIZON, HORIZON + b","),
    "a comment": b"/* a forecast */" + GOOD,
    "single quotes": GOOD.replace(b'"', b"'"),
    "a key without quotes": body_with_replaced(b'"forecast_horizon"', b"forecast_horizon"),
    "400 digits": body_with_value(b"9" * 400),
    "a horizon of 400 digits": body_with_replaced(HORIZON, b'"forecast_horizon":' + b"9" * 400),
    "bytes that are not UTF-8": body_with_frequency(b"\xff\xfe"),
    "a lone surrogate in UTF-8": body_with_frequency(b"\xed\xa0\x80"),
    "a lone surrogate escaped": body_with_frequency(b"\\ud800"),
    "an overlong slash": body_with_frequency(b"\xc0\xaf"),
    "a control character": body_with_frequency(b"a\x00b"),
    "UTF-16": GOOD.decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + GOOD,
    "100,000 brackets": b"[" * 100_000,
    "100,000 braces": b'{"a":' * 100_000,
    "deep nesting, well-formed": nested_array(100_000),
    "deep nesting in a field": b'{"series":' + nested_array(50_000) + b"}",
    "compressed": b"\x1f\x8b\x08\x00" + b"\x00" * 100,
}
BROKEN |= {text.decode(): body_with_value(text) for text in NOT_JSON.split()}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_a_body_that_is_not_json_gets_an_issue_and_nothing_else(api: Api, body: bytes) -> None:
    details = details_of(api.forecast(body), 400)
    assert list(details) == ["issue"]
    assert details["issue"].startswith("the body is not valid JSON: ")
    assert "; send " in details["issue"]
    # The issue describes the body, not the parser.
    for word in ("str is", "surrogate", "parsed", "double", "Input", "data is", "limit", "(BOM)"):
        assert word not in details["issue"]


@pytest.mark.parametrize(("body", "why"), REASONS)
def test_a_malformed_body_is_reported_with_the_position(api: Api, body: bytes, why: str) -> None:
    issue = details_of(api.forecast(body), 400)["issue"]
    assert issue.startswith(f"the body is not valid JSON: {why}; send one JSON object")


@pytest.mark.parametrize(("body", "why", "remedy"), NO_NUMBERS)
def test_non_numbers_are_reported_with_their_index_and_a_remedy(
    api: Api, body: bytes, why: str, remedy: str
) -> None:
    issue = details_of(api.forecast(body), 400)["issue"]
    assert issue == f"the body is not valid JSON: {why}; {remedy}"


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "br", "deflate", "gzip, identity", "x" * 5000])
@pytest.mark.parametrize("body", [GOOD, gzip.compress(GOOD)], ids=["plain", "compressed"])
def test_an_encoded_body_is_415_whatever_its_content(api: Api, coding: str, body: bytes) -> None:
    details = details_of(api.forecast(body, Content_Encoding=coding), 415)
    assert list(details) == ["issue"]
    assert details["issue"].startswith(f"Content-Encoding is '{coding[:100]}'; send the body ")
    assert len(details["issue"]) < 300


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_a_body_without_a_coding_is_read(api: Api, coding: str) -> None:
    assert api.forecast(GOOD, Content_Encoding=coding).status_code == 200


@pytest.mark.parametrize(("body", "kind"), NO_OBJECTS)
def test_json_that_is_not_an_object_gets_an_issue_and_nothing_else(
    api: Api, body: bytes, kind: str
) -> None:
    details = details_of(api.forecast(body), 400)
    remedy = "send one JSON object with the fields of a request"
    assert details == {"issue": f"the body is {kind}; {remedy}"}


def test_moderate_nesting_is_a_wrong_field_and_deep_nesting_is_malformed_json(
    api: Api,
) -> None:
    shallow = body_with_replaced(HORIZON, b'"forecast_horizon":' + nested_array(10))
    assert first_defect(api.forecast(shallow), 400)[0] == "forecast_horizon"
    for deep in (
        body_with_replaced(HORIZON, b'"forecast_horizon":' + nested_array(40)),
        body_with_value(nested_array(500)),
    ):
        assert "nested deeper than" in details_of(api.forecast(deep), 400)["issue"]


@pytest.mark.parametrize(
    "text", [b"1E2", b"1e+2", b"100", b"1.0e2", b"-0", b"-0.0", b"1e-400", b"9" * 60]
)
def test_every_number_of_json_is_a_value(api: Api, text: bytes) -> None:
    assert api.forecast(body_with_value(text)).status_code == 200


@pytest.mark.parametrize("text", [b"12", b"12.0", b"1.2e1", b"120e-1"])
def test_a_whole_number_is_an_integer_however_it_is_written(api: Api, text: bytes) -> None:
    response = api.forecast(body_with_replaced(HORIZON, b'"forecast_horizon":' + text))
    assert len(response.get_json()["median"]) == 12


@pytest.mark.parametrize("text", [b"12.5", b'"12"', b'"12.0"', b"true", b"null", b"12.0000001"])
def test_a_fraction_is_not_an_integer(api: Api, text: bytes) -> None:
    response = api.forecast(body_with_replaced(HORIZON, b'"forecast_horizon":' + text))
    assert first_defect(response, 400)[0] == "forecast_horizon"


def test_the_last_of_duplicate_keys_counts(api: Api) -> None:
    last_is_good = body_with_replaced(HORIZON, b'"forecast_horizon":"x",' + HORIZON)
    assert len(api.forecast(last_is_good).get_json()["median"]) == 5
    last_is_bad = body_with_replaced(HORIZON, HORIZON + b',"forecast_horizon":"x"')
    assert first_defect(api.forecast(last_is_bad), 400)[2] == "x"


@pytest.mark.parametrize("space", [b" ", b"\n", b"\r\n", b"\t"])
def test_space_around_the_body_does_not_matter(api: Api, space: bytes) -> None:
    assert api.forecast(space + GOOD + space).status_code == 200


def test_escapes_in_keys_and_texts_are_read(api: Api) -> None:
    body = body_with_replaced(b'"forecast_horizon"', b'"forecast\\u005fhorizon"')
    assert api.forecast(body).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
        "Application/JSON", "application/json ; q=1",
    ],
)  # fmt: skip
def test_every_json_content_type_is_read(api: Api, content_type: str) -> None:
    assert api.forecast(GOOD, Content_Type=content_type).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        *(None, "", ";", "application", "json", "text/json", "text/plain", "é/ü", "x" * 5000),
        "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/vnd.api+json", "application/jsonp", "text/plain, application/json",
    ],
)  # fmt: skip
def test_another_content_type_is_415(api: Api, content_type: str | None) -> None:
    details = details_of(api.forecast(GOOD, Content_Type=content_type), 415)
    assert list(details) == ["issue"]
    assert details["issue"].startswith("Content-Type is ")
    assert details["issue"].endswith("; send application/json")
    assert len(details["issue"]) < 300


def padded_body(size: int) -> bytes:
    """Return the good body, made ``size`` bytes long by spaces."""
    return GOOD + b" " * (size - len(GOOD))


def test_a_body_of_4_mebibytes_is_read(api: Api) -> None:
    assert api.forecast(padded_body(4 * MEBIBYTE)).status_code == 200


@pytest.mark.parametrize("size", [4 * MEBIBYTE + 1, 5_000_000, 20 * MEBIBYTE])
def test_a_longer_body_is_413(api: Api, size: int) -> None:
    details = details_of(api.forecast(padded_body(size)), 413)
    assert list(details) == ["issue"]
    assert "4194304 bytes" in details["issue"]


ORDER: list[tuple[int, dict[str, Any], bytes]] = [
    (415, {"Content_Type": "text/plain"}, padded_body(5 * MEBIBYTE)),
    (415, {"Content_Encoding": "gzip"}, padded_body(5 * MEBIBYTE)),
    (413, {}, b"{" * (5 * MEBIBYTE)),
    (400, {"X_Model_Id": "best"}, b"{"),
    (400, {"X_Model_Id": "best"}, GOOD),
]


@pytest.mark.parametrize(("status", "headers", "body"), ORDER)
def test_type_comes_before_size_before_json_before_fields(
    api: Api, status: int, headers: dict[str, Any], body: bytes
) -> None:
    details = details_of(api.forecast(body, **headers), status)
    assert ("field" in details) == (body == GOOD)


def test_the_longest_series_allowed_fits_into_the_largest_body() -> None:
    body = regular_body("Seconds", 50_000)
    column = body["series"][0]
    column["timestamps"] = [text + ".000+00:00" for text in column["timestamps"]]
    column["values"] = [-1.2345678901234567e-100] * 50_000
    assert len(orjson.dumps(body)) < 4 * MEBIBYTE
