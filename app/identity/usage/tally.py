"""Calls summed in memory: numbers to add to rows, by table and primary key."""

import operator
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from app.identity.usage.buckets import UsageInterval
from app.identity.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)

# Only the number of addresses is unbounded; the rest is limited by keys and endpoints. Beyond this,
# new addresses are dropped until the next write; their calls still count in the other tables.
MAX_NEW_ADDRESSES = 10_000
_MIN_ERROR_STATUS = 400

UsageModel = type[UsageHour | AccountHour | AccountDay | KeyDay | FailureDay | KeyAddress]
Key = tuple[int | str, ...]

# Every process writes in this order, which avoids deadlocks.
USAGE_MODELS: Sequence[UsageModel] = [
    UsageHour, AccountHour, AccountDay, KeyDay, FailureDay, KeyAddress,
]  # fmt: skip


class RecordedCall(NamedTuple):
    """A completed call of an endpoint with a valid key.

    ``at`` is the time in whole epoch seconds, ``bucket`` the duration (`usage.latency`).
    ``address`` is None if it is not stored; ``field`` is the path of the invalid field, or "".
    ``requests`` is how many requests it counts as: a call of many series is several.
    Identical calls are equal, which makes summing them up cheap.
    """

    account_id: int
    key_id: int
    endpoint: str
    status: int
    bucket: int
    at: int
    address: str | None
    field: str
    requests: int = 1


class Tally:
    """The numbers to add, for each model by the values of its primary key.

    The numbers are in the order of the model's other columns.
    """

    def __init__(self) -> None:
        self.rows: dict[UsageModel, dict[Key, list[int]]] = {model: {} for model in USAGE_MODELS}

    def __bool__(self) -> bool:
        return any(self.rows.values())

    def add(self, call: RecordedCall, times: int) -> None:
        account_id, key_id, endpoint, status, bucket, at, address, field, requests = call
        calls = times * requests
        hour, day = UsageInterval.HOUR.floor(at), UsageInterval.DAY.floor(at)
        is_failed = status >= _MIN_ERROR_STATUS
        self._count(UsageHour, (account_id, hour, key_id, endpoint, status // 100), calls)
        self._count(AccountHour, (account_id, hour, endpoint, status, bucket), calls)
        self._count(AccountDay, (account_id, day, endpoint, status, bucket), calls)
        self._count(KeyDay, (account_id, day, key_id), calls, calls * is_failed)
        if is_failed:
            self._count(FailureDay, (account_id, day, endpoint, status, field, key_id), calls)
        if address is not None:
            self._count_address((account_id, key_id, address), at, calls)

    def _count(self, model: UsageModel, key: Key, *numbers: int) -> None:
        rows = self.rows[model]
        counts = rows.get(key)
        rows[key] = [*numbers] if counts is None else [*map(operator.add, counts, numbers)]

    def _count_address(self, key: Key, at: int, times: int) -> None:
        rows = self.rows[KeyAddress]
        row = rows.get(key)
        if row is not None:
            first, last, calls = row
            rows[key] = [min(first, at), max(last, at), calls + times]
        elif len(rows) < MAX_NEW_ADDRESSES:
            rows[key] = [at, at, times]

    def row_keys(self) -> list[tuple[UsageModel, Key]]:
        """Return all rows in the order of writing."""
        return [(model, key) for model in USAGE_MODELS for key in sorted(self.rows[model])]

    def discard(self, row_keys: list[tuple[UsageModel, Key]]) -> None:
        """Drop rows that have been written."""
        for model, key in row_keys:
            del self.rows[model][key]


def group_by_model(row_keys: list[tuple[UsageModel, Key]]) -> dict[UsageModel, list[Key]]:
    keys_by_model: defaultdict[UsageModel, list[Key]] = defaultdict(list)
    for model, key in row_keys:
        keys_by_model[model].append(key)
    return keys_by_model
