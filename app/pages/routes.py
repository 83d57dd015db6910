"""The routes of the pages and of their assets."""

from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    render_template,
    request,
    url_for,
)

from app.api.anomalies.fields import GREATEST_RATE, LEAST_RATE, USUAL_RATE
from app.api.anomalies.schemas import MIN_POINTS
from app.api.declaration import endpoints_of
from app.api.forecast.schemas import MAX_HORIZON
from app.api.openapi.document import ERRORS_PATH
from app.forecasting.calendar.frequency import UNITS
from app.forecasting.series import MODEL_IDS
from app.pages.assets import COLLECTIONS, MEDIA_TYPES, compress, find
from app.pages.error_list import mark_code, shown_statuses
from app.pages.sample_series import SAMPLE_SERIES
from app.pages.security import add_security_headers

blueprint = Blueprint("pages", __name__, template_folder="templates")
blueprint.after_request(add_security_headers)
blueprint.add_app_template_filter(mark_code)

NAVIGATION = {
    "pages.playground": "Playground",
    "pages.monitors": "Monitors",
    "pages.docs": "API reference",
    "pages.errors": "Errors",
}
"""The pages that every page links to, by endpoint."""
FOR_GOOD = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@blueprint.get("/")
def playground() -> Response:
    """Return the page on which a person forecasts data of their own."""
    return page(
        "playground.html",
        models=MODEL_IDS,
        units=UNITS,
        sample_series=SAMPLE_SERIES,
        min_points=MIN_POINTS,
        least_rate=LEAST_RATE,
        usual_rate=USUAL_RATE,
        greatest_rate=GREATEST_RATE,
        max_horizon=MAX_HORIZON,
    )


@blueprint.get("/watch")
def monitors() -> Response:
    """Return the page on which a person sees monitors and what happened to them."""
    return page("monitors.html")


@blueprint.get("/docs")
def docs() -> Response:
    """Return the interactive document of the API."""
    return page("docs.html")


@blueprint.get(ERRORS_PATH)
def errors() -> Response:
    """Return the page that lists every error with an example and its remedy."""
    return page("errors.html", statuses=shown_statuses(endpoints_of(current_app).values()))


@blueprint.get("/static/<collection>/<version>/<path:name>")
def asset(collection: str, version: str, name: str) -> Response:
    """Return a script, a style, a picture or example data."""
    path = find(collection, name)
    if path is None:
        abort(404)
    compressed = compress(path)
    zipped = request.accept_encodings["gzip"] > 0
    response = make_response(compressed.content if zipped else path.read_bytes())
    response.mimetype = MEDIA_TYPES[path.suffix]
    response.vary.add("Accept-Encoding")
    if zipped:
        response.content_encoding = "gzip"
    response.set_etag(f"{compressed.digest}-gzip" if zipped else compressed.digest)
    # While a new release is rolled out, one node may be asked for the version of another.
    current = version == COLLECTIONS[collection].version
    response.headers["Cache-Control"] = FOR_GOOD if current else ASK_AGAIN
    response.make_conditional(request)
    return response


@blueprint.app_template_global()
def asset_url(collection: str, name: str) -> str:
    """Return where an asset is served."""
    version = COLLECTIONS[collection].version
    return url_for("pages.asset", collection=collection, version=version, name=name)


def page(template: str, **context: Any) -> Response:
    """Return a page; browsers ask every time whether it is still the same."""
    response = make_response(render_template(template, navigation=NAVIGATION.items(), **context))
    response.headers["Cache-Control"] = ASK_AGAIN
    response.add_etag()
    response.make_conditional(request)
    return response
