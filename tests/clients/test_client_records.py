"""The client's records match the service's OpenAPI document."""

import ast

from flask import Flask

from clients.generate_records import OPTIONS, PATH, RECORDS, records_module


def test_the_records_of_the_client_are_current(app: Flask) -> None:
    assert PATH.read_text() == records_module(app), "run `make client-records`"


def test_a_field_added_to_the_service_is_in_the_client_with_its_description(
    app: Flask, monkeypatch
) -> None:
    added = {"type": ["string", "null"], "format": "date-time", "description": "When; null: `x`."}
    document = app.test_client().get("/openapi.json").json
    document["components"]["schemas"]["Monitor"]["properties"]["seen_at"] = added
    monkeypatch.setattr("clients.generate_records.build_document", lambda _app: document)
    module = records_module(app)
    assert "        seen_at: When; None: ``x``.\n" in module
    assert "    seen_at: dt.datetime | None\n" in module


def test_every_record_is_a_class_of_the_module() -> None:
    classes = [node.name for node in ast.parse(PATH.read_text()).body if hasattr(node, "bases")]
    assert classes == [declared.name for declared in (*RECORDS, *OPTIONS)]
