"""Calls summed up in memory: numbers to add to rows of the tables, by table and primary key."""

import operator
from collections import defaultdict
from typing import NamedTuple

from app.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)
from app.usage.periods import Interval, start_of

# Only addresses can be many: all else is bounded by keys and endpoints. Past these, new ones are
# not noted until these are written; their calls count in every other table.
MOST_ADDRESSES = 10_000
FIRST_ERROR = 400

Model = (
    type[UsageHour]
    | type[AccountHour]
    | type[AccountDay]
    | type[KeyDay]
    | type[FailureDay]
    | type[KeyAddress]
)
Key = tuple[int | str, ...]

# In this order they are written, by every process: none then waits for a row that another has.
MODELS: tuple[Model, ...] = (UsageHour, AccountHour, AccountDay, KeyDay, FailureDay, KeyAddress)


class Call(NamedTuple):
    """An answered call of an endpoint with a valid key.

    ``at`` is when, in whole seconds since 1970; ``bucket`` how long it took (`app.usage.latency`).
    ``address`` is None where it is not to be stored, ``field`` the path of the field at fault, ""
    where none is. Calls that are alike are equal, which makes summing them up cheap.
    """

    account_id: int
    key_id: int
    endpoint: str
    status: int
    bucket: int
    at: int
    address: str | None
    field: str


class Tally:
    """What is to be added, for each model by the values of its primary key.

    The numbers are those of its other columns in their order.
    """

    def __init__(self) -> None:
        self.rows: dict[Model, dict[Key, list[int]]] = {model: {} for model in MODELS}

    def __bool__(self) -> bool:
        return any(self.rows.values())

    def add(self, call: Call, times: int) -> None:
        """Count ``call``, which was made so many times."""
        account_id, key_id, endpoint, status, bucket, at, address, field = call
        hour, day = start_of(Interval.HOUR, at), start_of(Interval.DAY, at)
        failed = status >= FIRST_ERROR
        self._count(UsageHour, (account_id, hour, key_id, endpoint, status // 100), times)
        self._count(AccountHour, (account_id, hour, endpoint, status, bucket), times)
        self._count(AccountDay, (account_id, day, endpoint, status, bucket), times)
        self._count(KeyDay, (account_id, day, key_id), times, times * failed)
        if failed:
            self._count(FailureDay, (account_id, day, endpoint, status, field, key_id), times)
        if address is not None:
            self._see((account_id, key_id, address), at, times)

    def _count(self, model: Model, key: Key, *numbers: int) -> None:
        rows = self.rows[model]
        known = rows.get(key)
        rows[key] = [*numbers] if known is None else [*map(operator.add, known, numbers)]

    def _see(self, key: Key, at: int, times: int) -> None:
        rows = self.rows[KeyAddress]
        known = rows.get(key)
        if known is not None:
            first, last, calls = known
            rows[key] = [min(first, at), max(last, at), calls + times]
        elif len(rows) < MOST_ADDRESSES:
            rows[key] = [at, at, times]

    def places(self) -> list[tuple[Model, Key]]:
        """Return all rows, in the order in which every process writes them."""
        return [(model, key) for model in MODELS for key in sorted(self.rows[model])]

    def forget(self, places: list[tuple[Model, Key]]) -> None:
        """Drop rows that have been written."""
        for model, key in places:
            del self.rows[model][key]


def by_model(places: list[tuple[Model, Key]]) -> dict[Model, list[Key]]:
    """Return the keys of ``places`` by their models, in the same order."""
    found: defaultdict[Model, list[Key]] = defaultdict(list)
    for model, key in places:
        found[model].append(key)
    return found
