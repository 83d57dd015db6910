"""What is derived from declared endpoints with variables, queries and several successes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask import Flask
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.api.endpoints.endpoint import Endpoint, endpoints_of
from tests.api import shelves
from tests.support import edge
from tests.support.api import Api, details_of, error_of, first_defect

TIMES = [f"2024-01-0{day}T00:00:00" for day in range(1, 6)]


@pytest.fixture
def app(app: Flask) -> Flask:
    """The service with the endpoints of shelves."""
    shelves.SHELVES.clear()
    app.register_blueprint(shelves.blueprint)
    return app


@pytest.fixture
def caller(app: Flask, make_key: Callable) -> Api:
    return Api(app, make_key("read", "write", "delete"))


def send(caller: Api, method: str, path: str, body: object, **headers: str):
    return caller.request(
        method, path, orjson.dumps(body), Content_Type="application/json", **headers
    )


def points(number: int) -> dict[str, list[Any]]:
    return {"timestamps": TIMES[:number], "values": [1.5] * number}


def parameters(operation: dict[str, Any], place: str) -> dict[str, dict[str, Any]]:
    placed = (entry for entry in operation["parameters"] if entry.get("in") == place)
    return {parameter.pop("name"): parameter for parameter in placed}


class TestRequests:
    """The loading of path, query, headers and body."""

    def test_the_view_gets_body_headers_and_query_in_this_order_and_variables_by_name(
        self, caller: Api
    ) -> None:
        path = "/v1.0/shelves/oak/points?limit=7&after=x%2By"
        assert send(caller, "POST", path, points(2), X_Trace="t").get_json() == {"stored": 2}
        assert shelves.reads.pop() == ({"trace": "t"}, {"after": "x+y", "limit": 7}, "oak")

    def test_a_variable_is_held_to_its_schema(self, caller: Api) -> None:
        field, issue, provided = first_defect(caller.request("DELETE", "/v1.0/shelves/OAK"), 400)
        assert (field, issue, provided) == ("name", "Must be of a to z", "OAK")

    def test_a_variable_is_one_segment(self, caller: Api) -> None:
        for path in (
            "/v1.0/shelves/",
            "/v1.0/shelves/oak/",
            "/v1.0/shelves/oak/ash",
            "/v1.0/shelves/oak%2Fash",
        ):
            error_of(caller.request("DELETE", path), 404)

    def test_a_query_is_held_to_its_schema(self, caller: Api) -> None:
        path = "/v1.0/shelves/oak/points"
        assert caller.request("GET", path).get_json() == {"after": "", "limit": 100}
        for query, field in (("limit=x", "limit"), ("x=1", "x"), ("after=1&after=1", "after")):
            assert first_defect(caller.request("GET", f"{path}?{query}"), 400)[0] == field

    def test_problems_of_all_parts_are_reported_together(self, caller: Api) -> None:
        body = {"timestamps": TIMES[:1], "values": ["1"], "x": 1}
        response = send(caller, "POST", "/v1.0/shelves/OAK/points?limit=x", body, X_Trace="longer")
        fields = [error["field"] for error in details_of(response, 400)["errors"]]
        assert fields == ["name", "limit", "X-Trace", "x", "values[0]"]

    def test_columns_at_the_top_of_a_body_are_data(self, caller: Api) -> None:
        path = "/v1.0/shelves/oak/points"
        half = points(2) | {"values": [1, None]}
        assert first_defect(send(caller, "POST", path, half), 422)[0] == "values[1]"
        assert first_defect(send(caller, "POST", path, {"values": [1]}), 422)[0] == "timestamps"

    @pytest.mark.parametrize("number", [0, 4])
    def test_columns_have_a_length_of_their_own(self, caller: Api, number: int) -> None:
        details = details_of(send(caller, "POST", "/v1.0/shelves/oak/points", points(number)), 422)
        wanted = {
            0: "insufficient data points: 0 sent, at least 1 needed; send more",
            4: "too many data points: 4 sent, at most 3 allowed; send the rest in further requests",
        }
        assert {error["issue"] for error in details["errors"]} == {wanted[number]}

    def test_a_body_whose_schema_has_no_such_columns_is_not_data(self, caller: Api) -> None:
        response = send(caller, "PUT", "/v1.0/shelves/oak", {"width": 1, "values": [None]})
        assert first_defect(response, 400)[0] == "values"


class TestResponses:
    """Statuses, bodies and headers."""

    def test_the_view_chooses_among_its_successes(self, caller: Api) -> None:
        first = send(caller, "PUT", "/v1.0/shelves/oak", {"width": 2})
        second = send(caller, "PUT", "/v1.0/shelves/oak", {"width": 3})
        assert [first.status_code, second.status_code] == [201, 200]
        assert [first.get_json(), second.get_json()] == [{"width": 2.0}, {"width": 3.0}]

    def test_a_204_has_neither_body_nor_type(self, caller: Api) -> None:
        send(caller, "PUT", "/v1.0/shelves/oak", {"width": 2})
        response = caller.request("DELETE", "/v1.0/shelves/oak")
        assert (response.status_code, response.data, response.content_type) == (204, b"", None)
        assert int(response.headers["X-RateLimit-Remaining"]) == 98

    def test_a_missing_resource_is_404_with_what_to_send_instead(self, caller: Api) -> None:
        details = details_of(caller.request("DELETE", "/v1.0/shelves/oak"), 404)
        assert details == {"issue": "there is no shelf 'oak'; make it by PUT"}

    @pytest.mark.parametrize(
        ("path", "allowed"),
        [("/v1.0/shelves/oak", "DELETE, PUT"), ("/v1.0/shelves/oak/points", "GET, HEAD, POST")],
    )
    def test_a_wrong_method_lists_all_methods_of_its_path(
        self, caller: Api, path: str, allowed: str
    ) -> None:
        response = caller.request("PATCH", path)
        issue = f"PATCH is not allowed on {path}; send {allowed}"
        assert details_of(response, 405) == {"issue": issue}
        assert response.headers["Allow"] == allowed

    def test_head_has_the_headers_of_get(self, caller: Api) -> None:
        response = caller.request("HEAD", "/v1.0/shelves/oak/points?limit=7")
        assert (response.status_code, response.data) == (200, b"")
        assert caller.request("HEAD", "/v1.0/shelves/oak/points?limit=x").status_code == 400


class TestDerived:
    """Documents, lists, metrics, nginx."""

    @pytest.fixture
    def document(self, caller: Api) -> dict[str, Any]:
        return caller.request("GET", "/openapi.json").get_json()

    def test_the_document_is_valid_and_has_one_path_for_all_methods(self, document: dict) -> None:
        assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
        assert set(document["paths"]["/v1.0/shelves/{name}"]) == {"put", "delete"}
        assert set(document["paths"]["/v1.0/shelves/{name}/points"]) == {"post", "get"}

    def test_the_document_has_the_parameters_with_their_schemas(self, document: dict) -> None:
        operation = document["paths"]["/v1.0/shelves/{name}/points"]["get"]
        name = {"type": "string", "pattern": "^[a-z]+$"}
        assert parameters(operation, "path") == {
            "name": {"in": "path", "required": True, "schema": name}
        }
        limit = {"type": "integer", "minimum": 1, "maximum": 100, "default": 100}
        assert parameters(operation, "query") == {
            "after": {
                "in": "query",
                "required": False,
                "schema": {"type": "string", "default": ""},
            },
            "limit": {"in": "query", "required": False, "schema": limit},
        }

    @pytest.mark.parametrize(
        ("method", "path", "successes", "errors"),
        [
            ("put", "/v1.0/shelves/{name}", [200, 201], [400, 413, 415, 422]),
            ("delete", "/v1.0/shelves/{name}", [204], [400, 404]),
            ("post", "/v1.0/shelves/{name}/points", [200], [400, 413, 415, 422]),
            ("get", "/v1.0/shelves/{name}/points", [200], [400]),
        ],
    )
    def test_the_document_has_every_status(
        self, document: dict, method: str, path: str, successes: list[int], errors: list[int]
    ) -> None:
        responses = document["paths"][path][method]["responses"]
        statuses = sorted([*successes, *errors, 401, 403, 429, 500, 503])
        assert sorted(responses) == list(map(str, statuses))
        for status in successes:
            assert ("content" in responses[str(status)]) == (status != 204)

    def test_the_document_has_the_length_of_columns(self, document: dict) -> None:
        column = document["components"]["schemas"]["Points"]["properties"]["values"]
        assert (column["minItems"], column["maxItems"]) == (1, 3)

    def test_lists_write_a_variable_in_braces(self, app: Flask, caller: Api) -> None:
        issue = details_of(caller.request("GET", "/nowhere"), 404)["issue"]
        assert "PUT /v1.0/shelves/{name}, DELETE /v1.0/shelves/{name}, POST /v1.0/" in issue
        page = app.test_client().get("/docs/errors").text
        (wrong_data,) = re.findall('id="status-422".*?<p class="by">.*?</p>', page, re.DOTALL)
        assert "POST /v1.0/shelves/{name}/points" in wrong_data
        assert "DELETE /v1.0/shelves/{name}" not in wrong_data

    def test_metrics_name_the_rule_and_not_the_thing(self, app: Flask, caller: Api) -> None:
        caller.request("DELETE", "/v1.0/shelves/oak")
        counted = app.test_client().get("/metrics").text
        assert 'method="DELETE",route="/v1.0/shelves/<name>",status="404"' in counted
        assert "oak" not in counted

    def test_nginx_has_one_location_for_the_methods_of_a_path(
        self, app: Flask, tmp_path: Path
    ) -> None:
        endpoints = endpoints_of(app).values()
        configuration = edge.render(tmp_path, endpoints, http="18080", https="18443")
        edge.check_configuration(configuration)
        site = (tmp_path / "site.conf").read_text()
        ((place, location),) = re.findall(
            r"location (\S+ \S+shelves\S+) {(.*?)\n    }", site, re.DOTALL
        )
        assert place == r"~ ^/v1\.0/shelves/[^/]+$"
        assert "proxy_pass http://forecast_engines;" in location
        assert "DELETE /v1.0/shelves/{name} or" in site


@pytest.mark.parametrize("path", ["/things/<name>", "/things/<int:name>/<other>"])
def test_a_variable_that_is_not_declared_is_rejected_when_the_service_starts(path: str) -> None:
    with pytest.raises(ValueError, match=r"GET /things/{name}.*'name'"):
        Endpoint("GET", path, permission=None, tag=shelves.TAG, description="Things.", successes={})
