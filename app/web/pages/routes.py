"""The routes of the pages that need no sign-in."""

from typing import Any

from flask import Blueprint, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import NotFound

from app.anomalies.results import (
    DEFAULT_FALSE_ALARM_RATE,
    MAX_FALSE_ALARM_RATE,
    MIN_FALSE_ALARM_RATE,
)
from app.api.anomalies.schemas import MIN_JUDGED_POINTS
from app.api.computing.batch_cost import FORECASTS_PER_REQUEST, POINTS_PER_REQUEST
from app.api.endpoints.dialect import error_examples
from app.api.endpoints.endpoint import endpoints_of
from app.api.errors.statuses import ORDER_OF_CHECKS
from app.api.openapi.description import ERRORS_PATH
from app.api.serving.error_handlers import handle_http_exception
from app.api.tables.schemas import MAX_TABLE_HORIZON
from app.forecasting.model_ids import MIN_POINTS, MODEL_ROLES, SEASONAL_NAIVE
from app.forecasting.types import MAX_HORIZON
from app.timeseries.calendar.frequency import UNITS
from app.web.pages.asset_routes import REVALIDATE
from app.web.pages.assets import compress
from app.web.pages.error_list import mark_code, shown_statuses
from app.web.pages.holiday_codes import HOLIDAY_CODES
from app.web.pages.sample_series import SAMPLE_SERIES
from app.web.pages.security import INLINE_STYLES, add_security_headers, header_of

blueprint = Blueprint("pages", __name__)
blueprint.after_request(add_security_headers)
blueprint.add_app_template_filter(mark_code)


@blueprint.get("/")
def playground() -> Response:
    return public_page(
        "playground.html",
        models=MODEL_ROLES,
        baseline=SEASONAL_NAIVE,
        units=UNITS,
        sample_series=SAMPLE_SERIES,
        min_points=MIN_JUDGED_POINTS,
        min_history=MIN_POINTS,
        min_rate=MIN_FALSE_ALARM_RATE,
        default_rate=DEFAULT_FALSE_ALARM_RATE,
        max_rate=MAX_FALSE_ALARM_RATE,
        max_horizon=MAX_HORIZON,
        max_table_horizon=MAX_TABLE_HORIZON,
        forecasts_per_request=FORECASTS_PER_REQUEST,
        points_per_request=POINTS_PER_REQUEST,
        holiday_codes=HOLIDAY_CODES,
    )


@blueprint.get("/docs")
def docs() -> Response:
    """Return the interactive document of the API: the one page that may have inline styles."""
    response = public_page("docs.html")
    response.headers["Content-Security-Policy"] = header_of(INLINE_STYLES)
    return response


@blueprint.get(ERRORS_PATH)
def errors() -> Response:
    statuses = shown_statuses(endpoints_of(current_app).values(), error_examples(current_app))
    return public_page("errors.html", statuses=statuses, order_of_checks=ORDER_OF_CHECKS)


@blueprint.app_errorhandler(NotFound)
def not_found(error: NotFound) -> Response:
    """Return a page to a browser, and the JSON of the API to a program."""
    response = handle_http_exception(error)
    # A program accepts JSON or anything; only a browser names HTML.
    if request.method == "GET" and "text/html" in request.accept_mimetypes.values():
        response.data = render_template("not_found.html")
        response.mimetype = "text/html"
        add_security_headers(response)
    return response


def public_page(template: str, **context: Any) -> Response:
    """Return a page without secrets, so that it may be compressed if the browser accepts that.

    Browsers revalidate it each time.
    """
    response = make_response(render_template(template, **context))
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"] > 0:
        response.data = compress(response.get_data())
        response.content_encoding = "gzip"
    response.headers["Cache-Control"] = REVALIDATE
    response.add_etag()
    response.make_conditional(request)
    return response
