"""Run docs/using/monitors.md, docs/using/monitor-walkthrough.md and docs/using/webhooks.md.

Only time and the machine's load are not its own: a `sleep` and a `date` of the test's turn a clock
by five seconds, and the load is read from a file.
"""

import contextlib
import datetime as dt
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.api.monitors.response_schemas import MonitorEventSchema
from app.delivery.delivery_queue import RETRY_PAUSES
from app.identity.accounts.permissions import Permission
from app.watching.monitors.settings.monitor_records import PointStatus
from app.watching.monitors.settings.states import State
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.programs import find_binary, find_node, output_of
from tests.support.server import ROOT, run_server
from tests.support.services import (
    STARTUP_SECONDS,
    accepts_connections,
    free_port,
    run_preloaded,
    run_process,
    wait_until,
)

MONITORS, WALKTHROUGH, WEBHOOKS = (
    (ROOT / "docs" / "using" / f"{name}.md").read_text()
    for name in ("monitors", "monitor-walkthrough", "webhooks")
)
BASH = re.compile(r"```bash\n(.*?)```", re.DOTALL)
*BEGIN, POLL = BASH.findall(MONITORS)
CERTIFICATE, MAKE, PYTHON, JAVASCRIPT, APPEND, READ = BASH.findall(WALKTHROUGH)
PUT, TEST, SHOW, ROTATE = BASH.findall(WEBHOOKS)
STEPS, BUSY_FROM = 50, 40
SLEEP = f"""#!/bin/sh
step=$(($(cat step) + 1))
echo $step > step
[ $step -le {STEPS} ] || exit 1
[ $step -lt {BUSY_FROM} ] || running=40
echo "0.52 0.58 0.59 ${{running:-$((1 + step * 7 % 3))}}/97 4711" > load
"""
DATE = """#!/bin/sh
case "$*" in
*-d*) exec /bin/date "$@" ;;
*) echo $((BEGIN + 5 * $(cat step))) ;;
esac
"""


@dataclass
class Desk:
    """A shell in a folder like the project's, and what it needs."""

    folder: Path
    environ: dict[str, str]
    receiver_port: int

    def run(self, commands: str) -> str:
        """Run commands of the guide and return what they printed."""
        return output_of(
            ["bash", "-euc", self.adapted_commands(commands)],
            cwd=self.folder,
            env=self.environ,
            timeout=STARTUP_SECONDS,
        )

    def send_test(self) -> dict:
        """Send a test message and return the last attempt, which may be of an earlier message."""
        _sent, shown = self.run(TEST + SHOW).replace("}{", "}\n{").splitlines()
        return json.loads(shown)["last_attempt"]

    def adapted_commands(self, commands: str) -> str:
        return commands.replace("8443", str(self.receiver_port)).replace("/proc/loadavg", "load")

    @contextlib.contextmanager
    def run_receiver(self, commands: str) -> Iterator[Path]:
        """Run the receiver for the length of a block and yield where it prints."""
        printed = self.folder / "printed"
        # In the foreground, so that it is ended with the block.
        script = (
            self.adapted_commands(commands)
            .replace("\n.venv", "\nexec .venv")
            .replace("\nnode", "\nexec node")
        )
        environ = self.environ | {"PORT": str(self.receiver_port)}
        with (
            printed.open("wb") as output,
            run_process(
                ["bash", "-euc", script.rstrip().removesuffix("&")],
                cwd=self.folder,
                env=environ,
                stdout=output,
            ),
        ):
            wait_until(lambda: accepts_connections(self.receiver_port), "the receiver")
            yield printed


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def desk(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Desk]:
    """The service and its deliverer, with the settings that the guide exports."""
    begin = int(dt.datetime.now(dt.UTC).timestamp()) - 5 * STEPS
    programs = tmp_path / "programs"
    programs.mkdir()
    program(programs / "sleep", SLEEP)
    program(programs / "date", DATE)
    (programs / "node").symlink_to(find_node())
    for name in ("curl", "openssl"):
        find_binary(name)
    (tmp_path / "step").write_text("0")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    environ = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "BEGIN": str(begin)}
    desk = Desk(tmp_path, environ, free_port())
    desk.run(CERTIFICATE)
    (exports,) = re.findall(r"(export WEBHOOK_ALLOWED.*?)make run", WALKTHROUGH, re.DOTALL)
    names = dict(re.findall(r"export (\w+)=(.*)", exports))
    settings = {name: value.replace("$PWD", str(tmp_path)) for name, value in names.items()}
    database_url = sqlite_databases.migrated()
    with run_server(tmp_path, database_url, WEB_CONCURRENCY="1", **settings) as server:
        key = new_key(database_url, permissions=[Permission.READ, Permission.WRITE])
        desk.environ |= {"FORECAST_URL": server.url, "FORECAST_KEY": key}
        deliver = ["flask", "worker"]
        with (tmp_path / "log").open("wb") as log, run_preloaded(deliver, server.environ, log):
            yield desk


def test_three_requests_lead_to_the_event_that_the_page_shows(desk: Desk) -> None:
    create, append, read = BEGIN
    assert json.loads(desk.run(create))["points"] == 28
    (shown,) = map(json.loads, re.findall(r"```json\n(.*?)```", MONITORS, re.DOTALL))
    response = json.loads(desk.run(append))
    (event,), (shown_event,) = response.pop("events"), shown.pop("events")
    assert {name: event[name] for name in shown_event} == shown_event
    for name in ("expected", "lower_bound", "upper_bound"):
        response[name] = [round(number, 1) for number in response[name]]
    assert response == shown
    assert json.loads(desk.run(read))["events"][0] == event


@pytest.mark.parametrize("receiver", [PYTHON, JAVASCRIPT], ids=["python", "javascript"])
def test_the_walkthrough_leads_from_nothing_to_an_alert(desk: Desk, receiver: str) -> None:
    body = json.loads(desk.run(MAKE))
    assert body["state"] == "learning"
    with desk.run_receiver(receiver) as printed:
        responses = [json.loads(line) for line in desk.run(APPEND).splitlines()]
        assert len(responses) == STEPS
        statuses = [response["status"][0] for response in responses]
        learned = statuses.count("learning")
        assert statuses == ["learning"] * learned + ["judged"] * (STEPS - learned)
        assert learned * 5 == 120  # the two minutes that the guide names
        opened = [event for response in responses for event in response["events"]]
        assert opened[0]["opened_at"]
        assert opened[0]["direction"] == "up"
        wait_until(lambda: "event.opened cpu-load" in printed.read_text(), "the webhook")
        read, sent = [
            json.loads(text) for text in desk.run(READ).replace("}{", "}\n{").splitlines()
        ]
        assert read["events"][-1]["id"] == opened[0]["id"]
        assert sent["deliveries"][-1]["type"] == "event.opened"
        wait_until(lambda: desk.send_test()["type"] == "webhook.test", "the test message")
        assert "webhook.test" in printed.read_text()
        last = desk.send_test()
        assert (last["status"], last["error"]) == (204, None)
        rotated = json.loads(desk.run(ROTATE))["secret"]
        assert rotated.startswith("whsec_")
        assert rotated not in (desk.folder / "instance" / "ops.json").read_text()
        assert "secret" not in json.loads(desk.run(PUT.replace("example.com", "localhost:8443")))
        poll = desk.run(POLL.replace("monitors/orders", "monitors/cpu-load"))
        assert json.loads(poll)["events"][-1]["id"] == read["events"][0]["id"]


def test_the_guides_tables_have_every_state_status_and_pause() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", MONITORS, re.MULTILINE))
    assert {*State, *PointStatus} <= rows
    (row,) = re.findall(r"^\| wait before it.*\| none \| (.*) \|$", WEBHOOKS, re.MULTILINE)
    units = {"s": 1, "min": 60, "h": 3600}
    shown = [int(number) * units[unit] for number, unit in re.findall(r"(\d+) (\w+)", row)]
    assert shown == [pause.total_seconds() for pause in RETRY_PAUSES]


def test_the_message_that_it_shows_has_every_field_of_an_event() -> None:
    messages = WEBHOOKS.partition("## Messages")[2]
    (body,) = re.findall(r"```json\n(.*?)```", messages, re.DOTALL)
    assert list(json.loads(body)["data"]["event"]) == list(MonitorEventSchema().fields)
