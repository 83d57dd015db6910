"""An additional endpoint, declared in one file."""

from typing import Any

from flask import Blueprint
from marshmallow import Schema, fields

from app.api.computing.engine_jobs import Job, run_job
from app.api.endpoints.endpoint import Endpoint, Success, Tag
from app.api.requests.fields import StrictNumber
from app.api.requests.strict_schema import StrictSchema
from app.api.serving.decorator import endpoint
from app.identity.accounts.permissions import Permission

blueprint = Blueprint("doubling", __name__)
DOUBLING = Job("operator:mul", noun="double")
DoubleSchema = Schema.from_dict({"double": fields.Float(required=True)}, name="Double")


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/double",
        permission=Permission.READ,
        tag=Tag("Doubling", "Twice a number."),
        description="Multiplies by two.",
        computes=DOUBLING,
        body=StrictSchema.from_dict({"number": StrictNumber(required=True)}, name="Number")(),
        successes={200: Success("Doubled.", DoubleSchema())},
    ),
)
def double(sent: dict[str, Any]) -> dict[str, Any]:
    """Double a number."""
    return {"double": run_job(DOUBLING, sent["number"], 2)}
