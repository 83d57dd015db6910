"""The schemas of requests and responses that are derived from a record."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pytest
from marshmallow import ValidationError, fields

from app.api.endpoints.record_schemas import list_schema, request_fields, response_schema
from app.api.requests.strict_schema import StrictSchema
from app.core.record_fields import described_field

MADE_AT = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


class Wood(StrEnum):
    OAK = "oak"
    ASH = "ash"


@dataclass(frozen=True)
class ShelfSettings:
    width: int = described_field("In centimetres.", minimum=1, maximum=2_000)
    wood: Wood = described_field("Its wood.", default=Wood.OAK)
    depth: float = described_field(minimum=0, issue="Must be 0 or more", default=30.0)
    motto: str | None = described_field("On its front.", maxLength=9, default=None)


@dataclass(frozen=True, kw_only=True)
class ShelfRecord:
    id: int
    name: str = described_field("Its name.")
    settings: ShelfSettings = described_field(is_inlined=True)
    made_at: dt.datetime | None = described_field("When it was made.")
    books: Sequence[str] = described_field()


class ShelfRequestSchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(ShelfSettings)


SHELF = ShelfRecord(id=7, name="a", settings=ShelfSettings(90), made_at=MADE_AT, books=["Ulysses"])


def test_a_response_has_the_described_fields_in_the_order_of_the_record() -> None:
    shown = response_schema(ShelfRecord)().dump(SHELF)
    assert list(shown.items()) == [
        ("name", "a"), ("width", 90), ("wood", "oak"), ("depth", 30.0),
        ("motto", None), ("made_at", "2026-01-02T00:00:00Z"), ("books", ["Ulysses"]),
    ]  # fmt: skip


def test_arguments_of_a_schema_replace_extend_or_add_fields() -> None:
    schema = response_schema(
        ShelfRecord, "Open", name=fields.Constant("b"), books={"maxItems": 3}, key=fields.String()
    )
    shown = schema().dump(vars(SHELF) | {"key": "k"})
    assert (schema.__name__, shown["name"], shown["key"]) == ("OpenSchema", "b", "k")
    assert schema().fields["books"].metadata == {"maxItems": 3}
    assert "key" not in schema().dump(SHELF)


def test_a_time_says_that_it_is_in_utc_and_may_be_null() -> None:
    field = response_schema(ShelfRecord)().fields["made_at"]
    assert field.metadata == {"description": "When it was made. In UTC.", "format": "date-time"}
    assert field.allow_none


def test_a_list_is_named_after_the_plural() -> None:
    schema = list_schema(response_schema(ShelfRecord), "shelves", "By name.")
    assert schema.__name__ == "ShelvesSchema"
    assert schema().dump({"shelves": [SHELF]})["shelves"][0]["width"] == 90


def test_a_request_gets_the_defaults_of_the_record() -> None:
    assert ShelfRequestSchema().load({"width": 5}) == {
        "width": 5, "wood": Wood.OAK, "depth": 30.0, "motto": None
    }  # fmt: skip
    sent = {"width": 5, "wood": "ash", "motto": " carpe "}
    assert ShelfRequestSchema().load(sent) == sent | {
        "wood": Wood.ASH, "depth": 30.0, "motto": "carpe"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "field", "issue"),
    [
        ({}, "width", "missing: send width"),
        ({"width": 0}, "width", "Must be between 1 and 2,000"),
        ({"width": 5, "depth": -1}, "depth", "Must be 0 or more"),
        ({"width": "5"}, "width", "Must be a whole number, without quotes and without a fraction"),
        ({"width": 5, "wood": "elm"}, "wood", "unknown wood: 'elm' was sent; "),
        ({"width": 5, "motto": 7}, "motto", "Must be a string"),
        ({"width": 5, "motto": "carpe diem"}, "motto", "the motto has 10 characters; at most 9"),
        ({"width": 5, "motto": "a\0b"}, "motto", "the motto contains control characters"),
    ],
)
def test_a_request_is_held_to_types_bounds_and_enums(sent, field, issue) -> None:
    with pytest.raises(ValidationError) as caught:
        ShelfRequestSchema().load(sent)
    assert caught.value.messages[field][0].startswith(issue)
