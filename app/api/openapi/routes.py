"""The route of GET /openapi.json."""

from flask import Blueprint, Response, current_app

from app.api.openapi.document import build_document
from app.api.responses.json import json_response

blueprint = Blueprint("openapi", __name__)
_DOCUMENT_EXTENSION = "openapi-document"


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI document, which is built once in each process."""
    if _DOCUMENT_EXTENSION not in current_app.extensions:
        current_app.extensions[_DOCUMENT_EXTENSION] = build_document(current_app)
    return json_response(current_app.extensions[_DOCUMENT_EXTENSION])
