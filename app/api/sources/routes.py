"""/sources: create, change, show and delete sources."""

from app.api.callers.current_caller import current_actor, current_caller
from app.api.endpoints.endpoint import Result
from app.api.examples.recorded import EXAMPLES
from app.api.responses.json import Json
from app.api.service import current_settings
from app.api.sources.blueprint import SOURCE_RESOURCE
from app.api.sources.schemas import SourceRequestSchema
from app.watching.sources import source_reader, source_registry
from app.watching.sources.source_records import SourceRecord, SourceSettings

_PUT_DESCRIPTION = """\
Creates a source, or replaces the settings of the one with this name. Nothing is read before it has
a query (`PUT /sources/{source}/queries/{query}`).

`authorization` is stored encrypted and never returned. Left out, the stored one is kept, unless
scheme, host or port of `url` change: then send it again, or null.

The open alerts are sent to each of `alertmanagers` again and again; these send the messages."""


def source_body(record: SourceRecord) -> Json:
    return vars(record) | {
        "authorization": record.authorization and {"type": record.authorization},
        "queries": [{"name": name, "state": state} for name, state in record.queries.items()],
    }


@SOURCE_RESOURCE.put_endpoint(
    description=_PUT_DESCRIPTION,
    body=SourceRequestSchema(),
    example=EXAMPLES.success("source", "A Prometheus server behind a token"),
)
def put_source(source_settings: SourceSettings, source: str) -> Result:
    """Create a source, or change it."""
    account_id = current_caller().account_id
    is_new = source_registry.put_source(
        current_settings(), current_actor(), account_id, source, source_settings
    )
    body = source_body(source_reader.get_source(account_id, source))
    return Result(body, status=201 if is_new else 200)


SOURCE_RESOURCE.declare_list(
    lambda account_id: [source_body(record) for record in source_reader.list_sources(account_id)]
)
SOURCE_RESOURCE.declare_get(
    lambda account_id, name: source_body(source_reader.get_source(account_id, name)),
    "Shows a source and the states of its queries.",
)
SOURCE_RESOURCE.declare_delete(
    lambda account_id, name: source_registry.delete_source(current_actor(), account_id, name),
    "Deletes a source with its queries, their monitors, and everything that these "
    "have learned. Alertmanagers end the alerts about them after an hour.",
    effect=" and everything that it feeds",
)
