"""The queries of a source: create, change, show and delete them."""

from app.api.current_settings import current_settings
from app.api.declaration import PERMISSION_NOTE, Endpoint, Example, Json
from app.api.endpoint import endpoint
from app.api.examples import QUERY, QUERY_REQUEST
from app.api.identity import actor, caller
from app.api.sources.blueprint import SOURCES, blueprint, query_fixed_error
from app.api.sources.response import query_body
from app.api.sources.response_schemas import QuerySchema
from app.api.sources.schemas import NewQueryNameSchema, QueryNameSchema, QueryRequestSchema
from app.api.webhooks.fields import no_webhook_error
from app.delivery.records import NoSuchWebhookError
from app.identity.accounts.permissions import Permission
from app.watching.sources import reading, registry
from app.watching.sources.records import QueryFixedError, QueryOrder

NOT_FOUND_ERRORS = frozenset({404})
PUT_DESCRIPTION = """\
Creates a query, or replaces the settings of the one with this name and of its monitors. The name is
unique in the account: the names of the monitors begin with it. Fields left out are reset to their
defaults.

The worker reads the history, learns it, and then reads each step `delay` seconds after it. Each
series is a monitor, which only the query feeds. A series that is not returned for five steps is
`absent`, and forgotten after seven days; if it returns earlier, the same monitor continues.

Thresholds, `muted_until` and `webhook` apply to all monitors of the query from the next point."""


@endpoint(
    blueprint,
    Endpoint(
        "PUT",
        "/sources/<source>/queries/<query>",
        permission=Permission.WRITE,
        variables=NewQueryNameSchema(),
        body=QueryRequestSchema(),
        response=QuerySchema(),
        successes={201: "The query was created.", 200: "The query was changed, or is unchanged."},
        tag=SOURCES,
        description=PUT_DESCRIPTION + PERMISSION_NOTE.format(permission=Permission.WRITE),
        example=Example("The requests per second of each service", QUERY, QUERY_REQUEST),
        other_errors=frozenset({404, 409}),
    ),
)
def put_query(order: QueryOrder, source: str, query: str) -> tuple[Json, dict[str, str], int]:
    """Create a query, or change it."""
    account = caller().account_id
    try:
        is_new = registry.put_query(current_settings(), actor(), account, source, query, order)
    except QueryFixedError as error:
        raise query_fixed_error(error.field, getattr(order, error.field)) from None
    except NoSuchWebhookError as error:
        raise no_webhook_error(QueryRequestSchema(), error.name) from None
    return query_body(reading.get_query(account, source, query)), {}, 201 if is_new else 200


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/sources/<source>/queries/<query>",
        permission=Permission.READ,
        variables=QueryNameSchema(),
        response=QuerySchema(),
        successes={200: "The query."},
        tag=SOURCES,
        description="Shows a query, its state, and what looks wrong about its series."
        + PERMISSION_NOTE.format(permission="read"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def get_query(source: str, query: str) -> Json:
    """Show a query."""
    return query_body(reading.get_query(caller().account_id, source, query))


@endpoint(
    blueprint,
    Endpoint(
        "DELETE",
        "/sources/<source>/queries/<query>",
        permission=Permission.DELETE,
        variables=QueryNameSchema(),
        successes={204: "The query is deleted."},
        tag=SOURCES,
        description="Deletes a query with its monitors, and everything that these have learned."
        + PERMISSION_NOTE.format(permission="delete"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def delete_query(source: str, query: str) -> None:
    """Delete a query and everything that it feeds."""
    registry.delete_query(actor(), caller().account_id, source, query)
