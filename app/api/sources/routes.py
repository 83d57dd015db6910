"""/sources: create, change, show and delete sources."""

from app.api.current_settings import current_settings
from app.api.declaration import PERMISSION_NOTE, Endpoint, Example, Json
from app.api.endpoint import endpoint
from app.api.examples import SOURCE, SOURCE_REQUEST
from app.api.identity import actor, caller
from app.api.sources.blueprint import SOURCES, blueprint
from app.api.sources.response import source_body
from app.api.sources.response_schemas import SourceSchema, SourcesSchema
from app.api.sources.schemas import NewSourceNameSchema, SourceNameSchema, SourceRequestSchema
from app.identity.accounts.permissions import Permission
from app.watching.sources import reading, registry
from app.watching.sources.records import SourceOrder

NOT_FOUND_ERRORS = frozenset({404})
PUT_DESCRIPTION = """\
Creates a source, or replaces the settings of the one with this name. Nothing is read before it has
a query (`PUT /sources/{source}/queries/{query}`).

`authorization` is stored encrypted and never returned. Left out, the stored one is kept, unless
scheme, host or port of `url` change: then send it again, or null.

Each of `alertmanagers` is told of the alerts that are open, all the time; it sends the messages."""


@endpoint(
    blueprint,
    Endpoint(
        "PUT",
        "/sources/<source>",
        permission=Permission.WRITE,
        variables=NewSourceNameSchema(),
        body=SourceRequestSchema(),
        response=SourceSchema(),
        successes={201: "The source was created.", 200: "The source was changed, or is unchanged."},
        tag=SOURCES,
        description=PUT_DESCRIPTION + PERMISSION_NOTE.format(permission=Permission.WRITE),
        example=Example("A Prometheus server behind a token", SOURCE, SOURCE_REQUEST),
        other_errors=NOT_FOUND_ERRORS,  # another request may delete it at the same time
    ),
)
def put_source(order: SourceOrder, source: str) -> tuple[Json, dict[str, str], int]:
    """Create a source, or change it."""
    account = caller().account_id
    is_new = registry.put_source(current_settings(), actor(), account, source, order)
    return source_body(reading.get_source(account, source)), {}, 201 if is_new else 200


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/sources",
        permission=Permission.READ,
        response=SourcesSchema(),
        successes={200: "The sources."},
        tag=SOURCES,
        description="Lists the sources of the key's account."
        + PERMISSION_NOTE.format(permission="read"),
    ),
)
def list_sources() -> Json:
    """List the sources of the account."""
    return {"sources": [source_body(one) for one in reading.list_sources(caller().account_id)]}


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/sources/<source>",
        permission=Permission.READ,
        variables=SourceNameSchema(),
        response=SourceSchema(),
        successes={200: "The source."},
        tag=SOURCES,
        description="Shows a source and the states of its queries."
        + PERMISSION_NOTE.format(permission="read"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def get_source(source: str) -> Json:
    """Show a source."""
    return source_body(reading.get_source(caller().account_id, source))


@endpoint(
    blueprint,
    Endpoint(
        "DELETE",
        "/sources/<source>",
        permission=Permission.DELETE,
        variables=SourceNameSchema(),
        successes={204: "The source is deleted."},
        tag=SOURCES,
        description="Deletes a source with its queries, their monitors, and everything that these "
        "have learned. Alertmanagers end the alerts about them after five minutes."
        + PERMISSION_NOTE.format(permission="delete"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def delete_source(source: str) -> None:
    """Delete a source and everything that it feeds."""
    registry.delete_source(actor(), caller().account_id, source)
