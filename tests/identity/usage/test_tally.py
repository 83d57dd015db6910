"""The sums of usage in memory, and their bounds."""

from app.identity.usage import tally as module
from app.identity.usage.models import KeyAddress, UsageHour
from app.identity.usage.tally import USAGE_MODELS, Tally
from tests.identity.usage.conftest import call


def test_rows_are_written_in_one_order_whatever_order_they_were_counted_in() -> None:
    orders = []
    for keys in ((1, 2, 30), (30, 2, 1)):
        tally = Tally()
        for key in keys:
            tally.add(call(key, status=400, address=f"192.0.2.{key}"), 1)
        orders.append(tally.row_keys())
    assert orders[0] == orders[1]
    assert list(dict.fromkeys(model for model, _ in orders[0])) == list(USAGE_MODELS)


def test_calls_are_counted_even_if_their_addresses_no_longer_fit(monkeypatch):
    monkeypatch.setattr(module, "MAX_NEW_ADDRESSES", 3)
    tally = Tally()
    for number in (1, 2, 3, 4, 5, 1):
        tally.add(call(address=f"192.0.2.{number}"), 1)
    seen = {key[2]: numbers[2] for key, numbers in tally.rows[KeyAddress].items()}
    assert seen == {"192.0.2.1": 2, "192.0.2.2": 1, "192.0.2.3": 1}
    assert [*tally.rows[UsageHour].values()] == [[6]]


def test_a_tally_that_is_all_written_is_empty() -> None:
    tally = Tally()
    assert not tally
    tally.add(call(), 1)
    assert tally
    tally.discard(tally.row_keys())
    assert not tally
