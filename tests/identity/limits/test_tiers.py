"""The two limit tables of the specification (8.2, 8.3), and whom each applies to."""

import itertools

import pytest

from app.identity.limits.budget import key_budget
from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS, Allowance, permission_level

SPECIFIED_LEVELS = {
    "Read Only": (50, 500, 10_000),
    "Read/Write": (100, 1_000, 50_000),
    "Admin": (200, 2_000, 100_000),
    "Full Access": (500, 5_000, 250_000),
}
SPECIFIED_TIERS = {
    "free": (10, 100, 1_000),
    "standard": (100, 1_000, 50_000),
    "premium": (500, 5_000, 250_000),
}
NAMES = ("read", "write", "admin", "delete")
SETS = [set(some) for size in range(1, 5) for some in itertools.combinations(NAMES, size)]


def deterministic_id(permissions):
    """Return an id that is the same in every run."""
    return "+".join(sorted(permissions, key=NAMES.index))


def windows(per_minute, per_hour, per_day):
    return ((60, per_minute), (3_600, per_hour), (86_400, per_day))


def budget(**changes):
    key = {
        "lineage": "abc",
        "permissions": {"read"},
        "account_id": 7,
        "tier": None,
        "custom_limits": None,
    }
    return key_budget(**(key | changes))


def level_of(permissions):
    """Return the tier that applies, by an implementation of its own."""
    if permissions == set(NAMES):
        return "Full Access"
    if "admin" in permissions:
        return "Admin"
    return "Read Only" if permissions == {"read"} else "Read/Write"


def test_the_tables_hold_nothing_else() -> None:
    assert list(LEVEL_ALLOWANCES) == list(SPECIFIED_LEVELS)
    assert list(TIERS) == [*SPECIFIED_TIERS, "enterprise"]


@pytest.mark.parametrize("permissions", SETS, ids=deterministic_id)
def test_every_set_of_permissions_has_the_limits_of_its_level(permissions) -> None:
    level = level_of(permissions)
    assert permission_level(permissions) == level
    assert budget(permissions=permissions).windows == windows(*SPECIFIED_LEVELS[level])


@pytest.mark.parametrize("tier", SPECIFIED_TIERS)
@pytest.mark.parametrize("permissions", [{"read"}, set(NAMES)], ids=deterministic_id)
def test_a_tier_wins_over_the_permissions(tier, permissions) -> None:
    of_tier = budget(tier=tier, permissions=permissions)
    assert of_tier.windows == windows(*SPECIFIED_TIERS[tier])


def test_enterprise_has_its_own_three_numbers() -> None:
    assert budget(tier="enterprise", custom_limits=Allowance(3, 2, 1)).windows == windows(3, 2, 1)


def test_enterprise_without_numbers_is_never_unlimited() -> None:
    with pytest.raises(ValueError, match="account 7"):
        budget(tier="enterprise")


def test_keys_of_an_account_with_a_tier_are_counted_together() -> None:
    assert budget(tier="free", lineage="a").owner == budget(tier="premium", lineage="b").owner
    assert budget(tier="free", account_id=1).owner != budget(tier="free", account_id=2).owner


def test_keys_without_a_tier_are_counted_each_for_itself() -> None:
    assert budget(lineage="a").owner != budget(lineage="b").owner
    assert budget(permissions={"read"}).owner == budget(permissions=set(NAMES)).owner


def test_a_key_and_an_account_never_share_a_counter() -> None:
    assert budget(lineage="7").owner != budget(tier="free", account_id=7).owner
