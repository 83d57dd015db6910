"""The upgrade from the package of an earlier release, with what its users had stored."""

import json
from typing import Any

from tests.machine.page import NAME, commands
from tests.machine.steps import DATABASE, UPGRADE, VERSION, Steps, assert_none_lost, expect

MINUTES = range(0, 24 * 60, 5)
# So late that no point is overdue; the hosts are never reached.
POINTS = {
    "timestamps": [f"2100-01-01T{minute // 60:02}:{minute % 60:02}:00Z" for minute in MINUTES],
    "values": [100 + minute % 60 for minute in MINUTES],
}
SOURCE = {
    "url": "https://prometheus.example.com",
    "authorization": {"type": "bearer", "token": "secret"},
}
STORED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("PUT", "/webhooks/ops", {"url": "https://hooks.example.com/ops"}),
    ("PUT", "/monitors/checkout", {"data_frequency": "Minutes", "step": 5, "webhook": "ops"}),
    ("POST", "/monitors/checkout/points", POINTS),
    ("PUT", "/sources/prod", SOURCE),
    ("PUT", "/sources/prod/queries/requests", {"query": "up", "step": 60}),
)
# Rows and columns that a service writes while it counts, polls and migrates.
WRITTEN_TABLES = {"alembic_version", "rate_limit_windows", "usage_hours", "key_days"}
WRITTEN_TABLES |= {"account_days", "account_hours", "key_addresses", "worker_heartbeats"}
POLLED = {"failing_since", "failures", "lease", "leased_until", "next_poll_at", "polled_at"}
POLLED |= {"problem", "state"}
WRITTEN_COLUMNS = {"api_keys": {"last_used_at", "usage_count"}, "source_queries": POLLED}
READ_ROWS = f"""
import json, sqlite3
database = sqlite3.connect("file:{DATABASE}?mode=ro", uri=True)
database.row_factory = sqlite3.Row
names = database.execute("select name from sqlite_master where type = 'table'").fetchall()
rows = {{name: [dict(row) for row in database.execute("select * from " + name)] for name, in names}}
print(json.dumps(rows, default=repr))
"""
Rows = dict[str, list[dict[str, Any]]]


class EarlierSteps(Steps):
    """The steps with the package of an earlier release first, and this one as ``newer``."""

    def install(self) -> str:
        """Install the earlier release, with a key that has all permissions."""
        self.machine.run(commands("forecast-service setup forecast.example.com", package="first"))
        options = "--account acme --permissions read,write,admin,delete --quiet"
        self.key = self.machine.run(f"forecast-service keys create {options}").split()[-1]
        self._forecast()
        return self._release().rpartition("/")[2]

    def make_rows(self) -> str:
        """Store what users of the earlier release have stored."""
        for method, path, body in STORED:
            self.machine.run(
                f"curl --silent --show-error --fail-with-body --request {method} "
                f"--header 'Authorization: Bearer {self.key}' --json '{json.dumps(body)}' "
                f"https://{NAME}{path}"
            )
        return f"{sum(map(len, self._rows().values()))} rows"

    def upgrade(self) -> str:
        """Upgrade by the page's one command; no row, no key and no request is lost."""
        before = self._rows()
        with self._requests() as result:
            self.machine.run(commands(UPGRADE, package="newer"))
            self._forecast()
        self.expect_release(VERSION)
        expect_kept(before, self._rows())
        return assert_none_lost(result)

    def _rows(self) -> Rows:
        rows: Rows = json.loads(self.machine.run(f"python3 - <<'END'\n{READ_ROWS}\nEND"))
        return rows


def expect_kept(before: Rows, now: Rows) -> None:
    """Raise StepError unless all rows are there, with what they had."""
    for table in before.keys() - WRITTEN_TABLES:
        expect(table in now, f"the table {table} is gone")
        kept = len(now[table]) >= len(before[table])
        expect(kept, f"{table} had {len(before[table])} rows, now {len(now[table])}")
        written = WRITTEN_COLUMNS.get(table, set())
        for old, new in zip(before[table], now[table], strict=False):
            for column in old.keys() & new.keys() - written:
                expect(new[column] == old[column], f"{table}.{column} is {new[column]!r}")
