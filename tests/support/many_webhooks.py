"""Hundreds of webhooks: quick and silent receivers, messages in bulk, real deliverers."""

import contextlib
import datetime as dt
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, func, insert, select
from sqlalchemy.orm import Session

from app.core.database import utcnow
from app.delivery.models import Webhook, WebhookDelivery
from app.delivery.webhook_secrets import new_message_id, new_secret
from app.identity.accounts.models import Account
from tests.support.certificates import make_certificate
from tests.support.edge import temporary_paths
from tests.support.preloaded_programs import Program
from tests.support.programs import find_binary
from tests.support.services import (
    accepts_connections,
    free_port,
    run_preloaded,
    run_process,
    wait_until,
    whole_lines,
)

QUICK = "localhost"
ALLOWED = {"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8,::1/128"}
PAYLOAD = '{"type":"event.opened","data":{"monitor":"cpu","event":{"id":1,"kind":"spike"}}}'


@dataclass(frozen=True)
class QuickReceiver:
    """nginx as a receiver, which accepts each message immediately and keeps connections."""

    port: int
    certificate: Path
    log: Path

    @property
    def url(self) -> str:
        return f"https://{QUICK}:{self.port}/hook"

    def arrivals(self) -> list[tuple[float, str]]:
        """Return when each message has arrived, in epoch seconds, and its id."""
        lines = [line.split() for line in whole_lines(self.log).splitlines()]
        return [(float(moment), message_id) for moment, message_id in lines]


@contextlib.contextmanager
def quick_receiver(folder: Path) -> Iterator[QuickReceiver]:
    """Run a quick receiver within a block."""
    folder.mkdir()
    certificate, key = make_certificate(folder, QUICK)
    receiver = QuickReceiver(free_port(), certificate, folder / "arrivals")
    user = "user root; " if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"{user}daemon off; pid {folder}/pid; error_log {folder}/errors;\n"
        "events { worker_connections 2048; }\n"
        "http { log_format arrival '$msec $http_webhook_id';\n"
        f"access_log {receiver.log} arrival; {temporary_paths(folder)}"
        f"server {{ listen 127.0.0.1:{receiver.port} ssl; ssl_certificate {certificate};\n"
        f"ssl_certificate_key {key}; location / {{ return 204; }} }} }}\n"
    )
    command = [find_binary("nginx"), "-e", str(folder / "errors"), "-c", str(configuration)]
    with run_process(command):
        wait_until(lambda: accepts_connections(receiver.port), "the quick receiver")
        yield receiver


@contextlib.contextmanager
def silent_hosts(number: int) -> Iterator[list[str]]:
    """Yield URLs of hosts that accept connections and never respond."""
    # One socket for all: the kernel accepts at every address of loopback.
    with socket.create_server(("0.0.0.0", 0), backlog=4096) as silent:
        port = silent.getsockname()[1]
        yield [
            f"https://127.{1 + index // 60_000}.{index // 250 % 240}.{1 + index % 250}:{port}/"
            for index in range(number)
        ]


def add_account(engine: Engine, name: str) -> int:
    """Make an account without keys and return its id."""
    with engine.begin() as connection:
        adding = insert(Account).values(name=name).returning(Account.id)
        return int(connection.scalars(adding).one())


def add_messages(
    engine: Engine, account_id: int, urls: list[str], messages: int, now: dt.datetime | None = None
) -> list[str]:
    """Add messages, due immediately, for a webhook of each URL; return their ids."""
    now = now or utcnow()
    with Session(engine) as session, session.begin():
        adding = insert(Webhook).returning(Webhook.id)
        ids = [*session.scalars(adding, [_webhook(account_id, url) for url in urls])]
        rows = [_delivery(webhook_id, now) for _ in range(messages) for webhook_id in ids]
        session.execute(insert(WebhookDelivery), rows)
    return [str(row["message_id"]) for row in rows]


def _webhook(account_id: int, url: str) -> dict[str, object]:
    return {
        "account_id": account_id,
        "name": new_message_id(),
        "url": url,
        "format": "standard",
        "secret": new_secret(),
    }


def _delivery(webhook_id: int, now: dt.datetime) -> dict[str, object]:
    return {
        "webhook_id": webhook_id,
        "subject": "",
        "message_id": new_message_id(),
        "type": "event.opened",
        "payload": PAYLOAD,
        "text": "cpu: spike",
        "created_at": now,
        "next_attempt_at": now,
        "attempts": 0,
    }


def count_delivered(engine: Engine) -> int:
    """Return the number of delivered messages."""
    done = select(func.count()).where(WebhookDelivery.delivered_at.is_not(None))
    with engine.connect() as connection:
        return int(connection.scalars(done).one())


def count_attempted(engine: Engine) -> int:
    """Return the number of attempted messages."""
    tried = select(func.count()).where(WebhookDelivery.attempts > 0)
    with engine.connect() as connection:
        return int(connection.scalars(tried).one())


@contextlib.contextmanager
def deliverer(
    database_url: str, receiver: QuickReceiver, log: Path, **settings: str
) -> Iterator[Program]:
    """Run `forecast-service worker` within a block; it trusts the receiver."""
    trusted = {"SSL_CERT_FILE": str(receiver.certificate)}
    environ = os.environ | {"DATABASE_URL": database_url} | ALLOWED | trusted | settings
    words = ["app.ops.cli", "worker"]
    with log.open("ab") as output, run_preloaded(words, environ, output) as process:
        wait_until(lambda: "worker started" in whole_lines(log), "the deliverer")
        yield process
