"""The blueprint of sources, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response

from app.api.declaration import Tag
from app.api.error_response import error_response
from app.api.errors import ApiError, not_found_error, too_many_error
from app.api.problems import Tree, describe_value, validation_error
from app.api.sources.schemas import QueryRequestSchema, SourceRequestSchema
from app.watching.sources.records import (
    AuthorizationNeededError,
    NoSecretsKeyError,
    NoSuchQueryError,
    NoSuchSourceError,
    QueryElsewhereError,
    TooManyQueriesError,
    TooManySourcesError,
)

OPERATOR_SECONDS = 3_600  # until the operator may have set SECRETS_KEY
blueprint = Blueprint("sources", __name__)
SOURCES = Tag(
    "Sources",
    "Servers with Prometheus' API: Prometheus, VictoriaMetrics, Mimir, Thanos. The service asks "
    "them queries, and watches each series of the responses as a monitor.",
)


@blueprint.errorhandler(NoSuchSourceError)
def handle_no_such_source(error: NoSuchSourceError) -> Response:
    """Return 404, the same whether the source belongs to another account or does not exist."""
    remedy = "GET /sources lists the sources of the account, PUT /sources/{source} creates one"
    return error_response(not_found_error(f"source {describe_value(error.name)!r}", remedy))


@blueprint.errorhandler(NoSuchQueryError)
def handle_no_such_query(error: NoSuchQueryError) -> Response:
    """Return 404."""
    remedy = (
        "GET /sources/{source} lists the queries of the source, PUT "
        "/sources/{source}/queries/{query} creates one"
    )
    return error_response(not_found_error(f"query {describe_value(error.name)!r}", remedy))


@blueprint.errorhandler(QueryElsewhereError)
def handle_query_elsewhere(error: QueryElsewhereError) -> Response:
    """Return 409: the names of monitors begin with that of the query."""
    issue = (
        f"the source {error.source!r} has a query of this name, and its monitors are called after "
        "it; send another name"
    )
    return error_response(ApiError(409, "The name is taken", {"issue": issue}))


@blueprint.errorhandler(TooManySourcesError)
def handle_too_many_sources(error: TooManySourcesError) -> Response:
    """Return 400 with the number of sources allowed."""
    if error.limit:
        return error_response(too_many_error("sources", error.limit, "SOURCES_PER_ACCOUNT"))
    issue = (
        "there are no sources on this installation; ask the operator to raise SOURCES_PER_ACCOUNT"
    )
    return error_response(ApiError(400, "Too many sources", {"issue": issue}))


@blueprint.errorhandler(TooManyQueriesError)
def handle_too_many_queries(error: TooManyQueriesError) -> Response:
    """Return 400 with the number of queries allowed."""
    return error_response(
        too_many_error("queries", error.limit, "QUERIES_PER_SOURCE", owner="source")
    )


@blueprint.errorhandler(AuthorizationNeededError)
def handle_authorization_needed(_error: AuthorizationNeededError) -> Response:
    """Return 422: the stored credentials are only for the server that they were sent for."""
    issues: Tree = {
        "authorization": [
            "send authorization again, or null: the stored one is for another scheme, host or port"
        ]
    }
    return error_response(validation_error([(SourceRequestSchema(), issues, {})]))


@blueprint.errorhandler(NoSecretsKeyError)
def handle_no_secrets_key(_error: NoSecretsKeyError) -> Response:
    """Return 503: the service cannot store credentials."""
    issue = (
        "the service cannot store credentials: ask the operator to set SECRETS_KEY, or send "
        "authorization null"
    )
    headers = {"Retry-After": str(OPERATOR_SECONDS)}
    return error_response(ApiError(503, "Credentials cannot be stored", {"issue": issue}, headers))


def query_fixed_error(field: str, value: object) -> ApiError:
    """Return the error for the ``value`` of a ``field`` that is fixed: there are monitors."""
    issues: Tree = {
        field: [
            "cannot change: the query has monitors, which have learned from it; send the value "
            "that it has, or another name for a new query"
        ]
    }
    failure = (QueryRequestSchema(), issues, {field: value})
    return validation_error([failure], may_be_data=False)  # the value is right, and comes too late
