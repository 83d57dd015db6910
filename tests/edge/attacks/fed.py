"""Accounts with sources and webhooks, and the delays of the worker for them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.database import db
from app.core.unchanged import UNCHANGED
from app.watching.sources.source_reader import get_query
from app.watching.sources.source_records import QuerySettings, SourceSettings
from tests.support.keys import ACTOR
from tests.support.many_webhooks import QuickReceiver, add_account, add_messages
from tests.support.polling import poll
from tests.support.watching import put_query, put_source
from tests.watching.sources.source_queries import QUERY_SETTINGS

SOURCE = "prod"
STEP_SECONDS = 4
SETTINGS = {"step": STEP_SECONDS, "history": 0, "delay": 0}
MESSAGE_EVERY_SECONDS = 0.5
LAST_MESSAGES_SECONDS = 10.0


def add_queries(account: str, url: str, number: int) -> int:
    """Create an account whose source at ``url`` has some queries; return its id."""
    account_id = add_account(db.engine, account)
    put_source(ACTOR, account_id, SOURCE, SourceSettings(url, UNCHANGED, None, []))
    for query in range(number):
        query_settings = QuerySettings(
            **vars(QUERY_SETTINGS) | SETTINGS | {"query": f"load_{query}"}
        )
        put_query(ACTOR, account_id, SOURCE, f"q{query}", query_settings)
    return account_id


@dataclass
class Punctuality:
    """How late an account's messages arrive, and its polls come.

    Attributes:
        account_id: The account, which has a source with one query.
        receiver: Where its messages go.
        sent: When each message was due, by its id.
        lags: Seconds from the end of each step to its points' verdicts.
    """

    account_id: int
    receiver: QuickReceiver
    sent: dict[str, float] = field(default_factory=dict)
    lags: list[float] = field(default_factory=list)
    _read_to: float = 0.0

    def is_live(self) -> bool:
        """Return whether the first poll of the query is over."""
        return str(get_query(self.account_id, SOURCE, "q0").state) == "live"

    def watch(self, is_over: Callable[[], bool], seconds: float) -> None:
        """Send messages and watch polls until ``is_over`` or a timeout."""
        self._read_to = self._reached_time()

        def look() -> bool:
            self._send()
            self._look_at_polls()
            return is_over()

        poll(look, seconds)
        poll(lambda: len(self.delays()) == len(self.sent), LAST_MESSAGES_SECONDS)
        unread = time.time() - self._read_to - STEP_SECONDS
        self.lags.append(unread)

    def delays(self) -> list[float]:
        """Return how many seconds each message that has arrived has taken."""
        arrivals = self.receiver.arrivals()
        return [at - self.sent[message] for at, message in arrivals if message in self.sent]

    def __str__(self) -> str:
        delays = self.delays()
        return (
            f"messages {len(delays)} of {len(self.sent)}, slowest {max(delays, default=0):.2f} s; "
            f"polls {len(self.lags) - 1}, lag at most {max(self.lags) / STEP_SECONDS:.2f} steps"
        )

    def _send(self) -> None:
        now = time.time()
        if now - max(self.sent.values(), default=0.0) >= MESSAGE_EVERY_SECONDS:
            (message,) = add_messages(db.engine, self.account_id, [self.receiver.url], 1)
            self.sent[message] = now

    def _look_at_polls(self) -> None:
        reached = self._reached_time()
        if reached > self._read_to:
            # Of several steps the first has waited longest.
            self.lags.append(time.time() - (self._read_to + STEP_SECONDS))
            self._read_to = reached

    def _reached_time(self) -> float:
        read_to = get_query(self.account_id, SOURCE, "q0").read_to
        return 0.0 if read_to is None else read_to.timestamp()
