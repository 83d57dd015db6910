"""An endpoint is declared once, and everything else is derived from that."""

import re
from collections.abc import Callable

import orjson
import pytest
from flask import Blueprint, Flask
from marshmallow import Schema, fields

from app.api.endpoints.endpoint import CallCost, Endpoint, Success, Tag, endpoints_of
from app.api.serving.decorator import endpoint
from app.api.serving.resource import Resource
from app.identity.accounts.permissions import Permission
from tests.api import doubling
from tests.support.api import Api, details_of, error_of
from tests.support.edge import renderer
from tests.support.keys import record_of
from tests.support.series import daily_body


@pytest.fixture
def app(app: Flask) -> Flask:
    """The service with one additional endpoint."""
    app.register_blueprint(doubling.blueprint)
    return app


def doubled_number(caller: Api, body: object = None, **headers: str):
    sent = orjson.dumps({"number": 21} if body is None else body)
    headers = {"Content_Type": "application/json"} | headers
    return caller.request("POST", "/double", sent, **headers)


def test_a_declared_endpoint_responds_only_to_a_key_with_its_permission(
    app: Flask, make_key: Callable
) -> None:
    assert doubled_number(Api(app, make_key("read"))).get_json() == {"double": 42.0}
    assert details_of(doubled_number(Api(app, make_key("write"))), 403)["required"] == ["read"]
    error_of(doubled_number(Api(app)), 401)


def test_the_body_of_a_declared_endpoint_is_held_to_its_schema(app: Flask, key: str) -> None:
    caller = Api(app, key)
    assert details_of(doubled_number(caller, {"number": "21"}), 400)["field"] == "number"
    assert details_of(doubled_number(caller, {"number": 1, "x": 2}), 400)["field"] == "x"
    error_of(doubled_number(caller, Content_Type="text/plain"), 415)
    error_of(doubled_number(caller, [" " * 5_000_000]), 413)


def test_calls_of_a_declared_endpoint_count_as_use_and_against_the_limit(
    app: Flask, key: str
) -> None:
    caller = Api(app, key)
    first = int(doubled_number(caller).headers["X-RateLimit-Remaining"])
    assert int(doubled_number(caller, {}).headers["X-RateLimit-Remaining"]) == first - 1
    assert record_of(app, key).usage_count == 2


def test_documents_and_the_404_list_it(app: Flask, key: str) -> None:
    caller = Api(app, key)
    document = caller.request("GET", "/openapi.json").get_json()
    operation = document["paths"]["/double"]["post"]
    assert operation["summary"] == "Double a number"
    statuses = [200, 400, 401, 403, 413, 415, 422, 429, 500, 503]
    assert sorted(operation["responses"]) == list(map(str, statuses))
    assert "`POST /double` needs `read`" in document["info"]["description"]
    assert {"name": "Doubling", "description": "Twice a number."} in document["tags"]
    assert "POST /double" in app.test_client().get("/docs/errors").text
    assert "POST /double" in details_of(caller.request("GET", "/nowhere"), 404)["issue"]


def test_metrics_name_its_route_and_its_job(app: Flask, key: str) -> None:
    doubled_number(Api(app, key))
    counted = app.test_client().get("/metrics").text
    assert 'forecast_http_requests_total{method="POST",route="/double",status="200"}' in counted
    assert 'forecast_engine_duration_seconds_count{engine_job="double"}' in counted
    assert 'forecast_engine_failures_total{engine_job="double"} 0.0' in counted


def rendered_document(app: Flask) -> str:
    options = renderer().parse(["--server-name", "a", "--certificate", "c", "--key", "k"])
    return renderer().render(options, endpoints_of(app).values())


def test_nginx_gives_it_to_the_engines_and_names_it(app: Flask) -> None:
    site = rendered_document(app)
    (location,) = re.findall(r"location = /double {(.*?)\n    }", site, re.DOTALL)
    assert "proxy_pass http://forecast_engines;" in location
    assert site.count(" or POST /double") == 1


def test_a_call_that_counts_nothing_counts_no_rejection(app: Flask, make_key: Callable) -> None:
    blueprint = Blueprint("free", __name__)

    @endpoint(
        blueprint,
        Endpoint(
            "GET",
            "/free",
            permission=Permission.READ,
            cost=CallCost.NOTHING,
            tag=Tag("Free", "What costs nothing."),
            description="Shows nothing.",
            successes={200: Success("Shown.", Schema())},
        ),
    )
    def show():
        return {}

    app.register_blueprint(blueprint)
    caller = Api(app, make_key("write"))
    before = int(caller.verify().headers["X-RateLimit-Remaining"])
    error_of(caller.request("GET", "/free"), 403)
    assert int(caller.verify().headers["X-RateLimit-Remaining"]) == before


def test_a_header_is_read_by_its_older_name(app: Flask, key: str) -> None:
    aliased = {
        name: fields.String(
            data_key=f"X-{name}", metadata={"alias": f"Old-{name}", "enum": ["red", "oak", "9"]}
        )
        for name in ("Colour", "Wood", "Width")
    }
    blueprint = Blueprint("shelf", __name__)

    @endpoint(
        blueprint,
        Endpoint(
            "GET",
            "/shelf",
            permission=None,
            tag=Tag("Shelves", "Of a test."),
            description="Shows its headers.",
            headers=Schema.from_dict(aliased)(),
            successes={200: Success("Shown.", Schema.from_dict(aliased)())},
        ),
    )
    def show(headers):
        return headers

    app.register_blueprint(blueprint)
    sent = {"Old-Colour": "red", "Old-Wood": "oak", "X-Width": "9", "Old-Width": "8"}
    shown = Api(app, key).request("GET", "/shelf", **sent).get_json()
    assert shown == {"X-Colour": "red", "X-Wood": "oak", "X-Width": "9"}


def test_an_endpoint_outside_of_one_resource_has_the_declared_errors(app: Flask) -> None:
    blueprint = Blueprint("crates", __name__)
    crates = Resource(
        blueprint,
        Tag("Crates", "Of a test."),
        noun="crate",
        path="/crates/<name>",
        collection="/crates",
        schema=Schema,
        variables=Schema.from_dict({"name": fields.String()})(),
        missing=LookupError,
    )
    done = {204: Success("Done.")}

    @crates.endpoint("POST", "/stack", errors=[409], description="Stacks.", successes=done)
    def stack():
        """Stack the crates."""

    app.register_blueprint(blueprint)
    declared = endpoints_of(app)["crates.stack"]
    assert declared.other_errors == {409}


def test_each_endpoint_that_reads_a_body_shows_a_request_and_its_response(app: Flask) -> None:
    of_others = doubling.blueprint.name
    without = [
        str(view)
        for name, view in endpoints_of(app).items()
        if view.body and view.example is None and not name.startswith(of_others)
    ]
    assert without == []


def test_a_declared_endpoint_leaves_the_others_as_they_are(app: Flask, key: str) -> None:
    """Adding an endpoint changes nothing of the others."""
    assert Api(app, key).forecast(daily_body()).status_code == 200


@pytest.mark.parametrize("has_dashboard", [True])
def test_every_rule_is_a_declared_endpoint_or_needs_no_key(app: Flask) -> None:
    keyless = (*app.config["UNCOUNTED_BLUEPRINTS"], *app.config["PAGE_BLUEPRINTS"])
    pages = ("assets", "pages", "openapi", "dashboard")
    assert keyless == ("health", "metrics", *pages)
    for rule in app.url_map.iter_rules():
        assert rule.endpoint in endpoints_of(app) or rule.endpoint.split(".")[0] in keyless
