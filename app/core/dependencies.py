"""Record whether what the service depends on is available."""

from app.core.instruments import LIMIT_STORE_AWAY, LIMIT_STORE_FAILURES


def record_limit_store(available: bool) -> None:
    """Record that the limit store has failed, or that it is available again."""
    LIMIT_STORE_AWAY.set(not available)
    if not available:
        LIMIT_STORE_FAILURES.inc()
