"""The queries that watch the shop: everything else is at the service's defaults."""

from app.watching.sources.source_records import QuerySettings
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import HISTORY

MAX_SERIES = 200


def query_settings_of(shape: Shape) -> QuerySettings:
    """Return the query whose series are those like ``shape``."""
    if shape.is_counter:
        query = f'rate(shop_total{{step="{shape.step}"}}[5m])'
    else:
        query = f'avg_over_time(shop_value{{step="{shape.step}"}}[30s])'
    return QuerySettings(
        query=query, step=shape.step, history=HISTORY[shape.step], max_series=MAX_SERIES
    )
