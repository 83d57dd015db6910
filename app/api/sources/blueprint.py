"""The resources of sources and queries, and the API errors for the exceptions of their views."""

from flask import Blueprint, Response
from marshmallow import Schema

from app.api.endpoints.endpoint import Tag
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import unavailable_error
from app.api.errors.validation import field_error
from app.api.responses.fields import list_field, string_field
from app.api.serving.error_response import error_response
from app.api.serving.resource import PathName, Resource, names_schema
from app.api.sources.fields import CREDENTIAL_FIELDS
from app.api.sources.schemas import SourceRequestSchema
from app.timeseries.seconds import HOUR_SECONDS
from app.watching.models.sources import MAX_SOURCE_NAME_LENGTH, QueryState
from app.watching.sources.source_records import (
    QUERY_STATE_MEANINGS,
    SHORT_NAME,
    AuthorizationNeededError,
    NoSecretsKeyError,
    NoSuchQueryError,
    NoSuchSourceError,
    QueryRecord,
    SourceRecord,
)

_SECRETS_KEY_RETRY_SECONDS = HOUR_SECONDS  # by then the operator may have set SECRETS_KEY
SOURCE_NAME = PathName("source", "source", "prod", NoSuchSourceError, MAX_SOURCE_NAME_LENGTH)
QUERY_NAME = PathName("query", "query", "checkout-rate", NoSuchQueryError, MAX_SOURCE_NAME_LENGTH)


class ShownAuthorizationSchema(Schema):
    """The type of a source's credentials, without them."""

    type = string_field(enum=[*CREDENTIAL_FIELDS])


class QueryStateSchema(Schema):
    """A query of a source, in short."""

    name = string_field(**SHORT_NAME)
    state = string_field(QUERY_STATE_MEANINGS, enum=[*QueryState])


_QUERY_STATES = list_field(QueryStateSchema, "By name.")

blueprint = Blueprint("sources", __name__)
_SOURCES_TAG = Tag(
    "Sources",
    "Servers with Prometheus' API: Prometheus, VictoriaMetrics, Mimir, Thanos. The service asks "
    "them queries, and watches each series of the responses as a monitor.",
)
SOURCE_RESOURCE = Resource(
    blueprint,
    _SOURCES_TAG,
    noun="source",
    path="/sources/<source>",
    collection="/sources",
    schema=response_schema(
        SourceRecord, authorization=ShownAuthorizationSchema, queries=_QUERY_STATES
    ),
    variables=names_schema(SOURCE_NAME),
    new_variables=names_schema(SOURCE_NAME, is_new=True),
    missing=NoSuchSourceError,
)
QUERY_RESOURCE = Resource(
    blueprint,
    _SOURCES_TAG,
    noun="query",
    owner="source",
    path="/sources/<source>/queries/<query>",
    collection="/sources/<source>",
    schema=response_schema(QueryRecord),
    variables=names_schema(SOURCE_NAME, QUERY_NAME),
    new_variables=names_schema(SOURCE_NAME, QUERY_NAME, is_new=True),
    missing=NoSuchQueryError,
)


@blueprint.errorhandler(AuthorizationNeededError)
def handle_authorization_needed(_error: AuthorizationNeededError) -> Response:
    """Return 422: the stored credentials are only for the server that they were sent for."""
    issue = "send authorization again, or null: the stored one is for another scheme, host or port"
    return error_response(field_error(SourceRequestSchema(), "authorization", issue))


@blueprint.errorhandler(NoSecretsKeyError)
def handle_no_secrets_key(_error: NoSecretsKeyError) -> Response:
    """Return 503: the service cannot store credentials."""
    issue = (
        "the service cannot store credentials: ask the operator to set SECRETS_KEY, or send "
        "authorization null"
    )
    message = "Credentials cannot be stored"
    return error_response(unavailable_error(message, issue, _SECRETS_KEY_RETRY_SECONDS))
