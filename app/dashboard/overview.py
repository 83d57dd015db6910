"""The first page of an account."""

from flask import Response

from app.dashboard.access import member, signed_in
from app.dashboard.blueprint import blueprint, page


@blueprint.get("")
@signed_in
def overview() -> Response:
    """Return the overview."""
    return page("overview.html", member=member())
