"""An account of a shop for the pictures of the dashboard: keys, 90 days of calls, people."""

import datetime as dt
import random

from flask import Flask
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.accounts.audit import Actor
from app.identity.accounts.keys import create_key, revoke_key, rotate_key
from app.identity.accounts.models import Account, ApiKey
from app.identity.accounts.permissions import parse_permissions
from app.identity.members import management
from app.identity.members.models import Role
from app.identity.usage.latency import bucket_of
from app.identity.usage.tally import RecordedCall, Tally
from app.identity.usage.writer import write_tally
from tests.support.members import make_member

NAME = "shop"
ADDRESS, PASSWORD = "ada@shop.example", "correct horse battery"
OPERATOR = Actor(os_user="deploy", host="vm-1")
ADA = Actor(email=ADDRESS, address="203.0.113.7")
HOURS = 90 * 24
GOOD = (
    ("POST /forecast", 0.09),
    ("POST /anomalies", 0.05),
    ("POST /monitors/{name}/points", 0.006),
)
BAD = (
    ("POST /forecast", 422, "series.timestamps"),
    ("POST /forecast", 400, "forecast_horizon"),
    ("POST /forecast", 429, ""),
    ("GET /monitors/{name}/events", 404, ""),
)
# What a key is for, what it may do, its calls in a busy hour, and from how many addresses.
KEYS = (
    ("shop, production", "read,write", 40, 2),
    ("nightly planning", "read", 12, 1),
    ("warehouse, staging", "read", 5, 1),
    ("key rotation job", "read,admin", 2, 8),
    ("notebook of Kim", "read", 3, 1),
)


def fill(app: Flask, account_id: int) -> None:
    """Give an account keys that were used for 90 days, people, and a trail of what they did."""
    with app.app_context():
        with Session(db.engine) as session, session.begin():
            key_ids = _make_keys(session, session.get_one(Account, account_id))
        write_tally(db.engine, _calls(account_id, key_ids))
    make_member(app, ADDRESS, account=NAME, password=PASSWORD)


def _make_keys(session: Session, account: Account) -> list[int]:
    account.name = NAME
    account.created_at = now = utcnow() - dt.timedelta(hours=HOURS)
    account.tier = "standard"
    of_account = update(ApiKey).where(ApiKey.account_id == account.id)
    session.execute(of_account.values(label="monitors, collector", created_at=now))
    ids = []
    for label, permissions, _calls_an_hour, _addresses in KEYS:
        granted = parse_permissions(permissions.split(","))
        made = create_key(session, OPERATOR, account.id, granted, label=label)
        made.record.created_at = now
        made.record.usage_count = 30_000
        made.record.last_used_at = utcnow() - dt.timedelta(minutes=len(ids) * 17)
        ids.append(made.record.id)
    session.get_one(ApiKey, ids[2]).expires_at = utcnow() + dt.timedelta(days=9)
    rotate_key(session, ADA, ids[0], dt.timedelta(hours=24))
    revoke_key(session, ADA, ids[4])
    management.invite_member(session, OPERATOR, account.id, "kim@shop.example", Role.ADMIN)
    management.invite_member(session, ADA, account.id, "lee@shop.example", Role.VIEWER)
    return ids


def _calls(account_id: int, key_ids: list[int]) -> Tally:
    """Calls by day and night, fewer at weekends, growing; one in thirty fails."""
    chance, tally, now = random.Random(7), Tally(), utcnow()
    for hour in range(HOURS):
        at = now - dt.timedelta(hours=HOURS - 1 - hour)
        busy = (0.25 if at.weekday() >= 5 else 1) * (1 if 7 <= at.hour < 19 else 0.3)
        for key_id, (_label, _permissions, most, addresses) in zip(key_ids, KEYS, strict=True):
            for _call in range(round(most * busy * (0.5 + 0.5 * hour / HOURS) * chance.random())):
                address = f"198.51.100.{20 * key_id + chance.randrange(addresses)}"
                tally.add(_call_at(chance, account_id, key_id, int(at.timestamp()), address), 1)
    return tally


def _call_at(
    chance: random.Random, account_id: int, key_id: int, at: int, address: str
) -> RecordedCall:
    endpoint, seconds = chance.choices(GOOD, weights=(6, 1, 3))[0]
    status, field = 200, ""
    if chance.random() < 1 / 30:
        endpoint, status, field = chance.choices(BAD, weights=(6, 3, 2, 1))[0]
    bucket = bucket_of(seconds * chance.lognormvariate(0, 0.7))
    return RecordedCall(account_id, key_id, endpoint, status, bucket, at, address, field)
