"""Record the calls of endpoints by their callers, in memory: without a database query."""

import time

from flask import Flask, Response

from app.api.callers.addresses import UNKNOWN_ADDRESS, caller_network
from app.api.callers.limiter import budget_use
from app.api.endpoints.endpoint import current_endpoint
from app.api.request_state import request_state
from app.core.database import db
from app.identity.usage.flusher import Flusher
from app.identity.usage.latency import bucket_of
from app.identity.usage.tally import RecordedCall

_USAGE_EXTENSION = "usage"


def register_usage(app: Flask) -> None:
    """Record the calls of the endpoints of ``app``.

    The counts are written once the flusher is started.
    """
    with app.app_context():
        app.extensions[_USAGE_EXTENSION] = Flusher(db.engine)
    record = flusher_of(app).record
    stores_addresses: bool = app.config["SETTINGS"].usage_addresses

    @app.after_request
    def record_call(response: Response) -> Response:
        state = request_state()
        endpoint = current_endpoint()
        holder = state.caller
        if holder is None or endpoint is None or state.is_relayed:
            return response
        network = caller_network() if stores_addresses else UNKNOWN_ADDRESS
        record(
            RecordedCall(
                account_id=holder.account_id,
                key_id=holder.key_id,
                endpoint=endpoint.name,
                status=response.status_code,
                bucket=bucket_of(time.perf_counter() - state.started_at),
                at=int(time.time()),
                address=None if network == UNKNOWN_ADDRESS else network,
                field=state.field_at_fault,
                requests=max(1, budget_use().counted_requests),
            )
        )
        return response


def flusher_of(app: Flask) -> Flusher:
    return app.extensions[_USAGE_EXTENSION]
