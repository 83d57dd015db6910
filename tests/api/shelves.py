"""Endpoints with a variable in their path: things that are created, extended, paged and deleted."""

from typing import Any

from flask import Blueprint
from marshmallow import Schema, fields, validate

from app.api.endpoints.endpoint import Endpoint, Result, Success, Tag
from app.api.errors.api_error import not_found_error
from app.api.requests.fields import StrictNumber
from app.api.requests.query import IntegerParameter, StrictQuerySchema
from app.api.requests.series import TimeSeriesSchema
from app.api.requests.strict_schema import StrictSchema
from app.api.series.columns import TimestampsField, ValuesField
from app.api.serving.decorator import endpoint
from app.compute.jobs import Job
from app.identity.accounts.permissions import Permission

blueprint = Blueprint("shelves", __name__)
TAG = Tag("Shelves", "Things that hold things.")
SHELVES: dict[str, float] = {}
MAX_POINTS = 3
reads: list[tuple[dict[str, Any], dict[str, Any], str]] = []
name = fields.String(
    validate=validate.Regexp(r"[a-z]+\Z", error="Must be of a to z"),
    metadata={"pattern": "^[a-z]+$"},
)
NameSchema = StrictSchema.from_dict({"name": name}, name="Name")
WidthSchema = StrictSchema.from_dict({"width": StrictNumber(required=True)}, name="Width")
StoredSchema = Schema.from_dict({"stored": fields.Integer(required=True)}, name="Stored")
page = {"after": fields.String(), "limit": fields.Integer()}
ShownPageSchema = Schema.from_dict(page, name="Page")
ShelfSchema = Schema.from_dict({"width": fields.Float(required=True)}, name="Shelf")


class PointsSchema(TimeSeriesSchema):
    timestamps = TimestampsField(1, MAX_POINTS)
    values = ValuesField(1, MAX_POINTS)


class PageSchema(StrictQuerySchema):
    after = fields.String(load_default="")
    limit = IntegerParameter(load_default=100, validate=validate.Range(1, 100))


class TraceSchema(Schema):
    trace = fields.String(data_key="X-Trace", validate=validate.Length(max=4))


@endpoint(
    blueprint,
    Endpoint(
        "PUT",
        "/v1.0/shelves/<name>",
        permission=Permission.WRITE,
        computes=Job("operator:mul", noun="shelf"),
        variables=NameSchema(),
        body=WidthSchema(),
        tag=TAG,
        description="Shelves.",
        successes={201: Success("Made.", ShelfSchema()), 200: Success("Changed.", ShelfSchema())},
    ),
)
def put_shelf(sent: dict[str, Any], name: str) -> Result:
    """Make or change a shelf."""
    status = 200 if name in SHELVES else 201
    SHELVES[name] = sent["width"]
    return Result(sent, status=status)


@endpoint(
    blueprint,
    Endpoint(
        "DELETE",
        "/v1.0/shelves/<name>",
        permission=Permission.DELETE,
        variables=NameSchema(),
        tag=TAG,
        description="Shelves.",
        successes={204: Success("Deleted.")},
        other_errors=frozenset({404}),
    ),
)
def delete_shelf(name: str) -> None:
    """Take a shelf away."""
    if SHELVES.pop(name, None) is None:
        raise not_found_error(f"shelf {name!r}", "make it by PUT")


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/v1.0/shelves/<name>/points",
        permission=Permission.WRITE,
        variables=NameSchema(),
        body=PointsSchema(),
        headers=TraceSchema(),
        query=PageSchema(),
        tag=TAG,
        description="Shelves.",
        successes={200: Success("Stored.", StoredSchema())},
    ),
)
def add_points(
    sent: dict[str, Any], headers: dict[str, Any], query: dict[str, Any], name: str
) -> dict[str, int]:
    """Put points on a shelf."""
    reads.append((headers, query, name))
    return {"stored": len(sent["values"])}


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/v1.0/shelves/<name>/points",
        permission=Permission.READ,
        variables=NameSchema(),
        query=PageSchema(),
        tag=TAG,
        description="Shelves.",
        successes={200: Success("A page.", ShownPageSchema())},
    ),
)
def get_points(query: dict[str, Any], name: str) -> dict[str, Any]:
    """Show the points of a shelf."""
    return query
