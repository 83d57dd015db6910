"""The rows of each released revision's database, as its code wrote them."""

from typing import Any

from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Row, text

from tests.support.server import ROOT

NOON = "2026-05-06 12:00:00"
KEY = (
    "INSERT INTO api_keys (id, account_id, successor_id, lineage, prefix, key_hash, label,"
    " permissions, usage_count, last_used_at, created_at, expires_at, grace_ends_at, revoked_at)"
    " VALUES "
)

# Databases write bytes in statements differently, so these are the parameter `:packed`.
PACKED = b"\0packed\xff"

# Once a revision is released its rows are not changed here: add rows for the next one.
ROWS: dict[str, list[str]] = {
    "0001": [
        "INSERT INTO accounts (id, name, tier, per_minute, per_hour, per_day, created_at)"
        f" VALUES (70, 'acme', 'free', NULL, NULL, NULL, '{NOON}'),"
        f" (71, 'Zoë''s 日本', 'enterprise', 5, 50, 2147483647, '{NOON}')",
        f"{KEY}(71, 70, NULL, 'aa', 'ak_00000002', '{'2' * 64}', '', 'read', 0, NULL,"
        f" '{NOON}', NULL, NULL, NULL)",
        f"{KEY}(70, 70, 71, 'aa', 'ak_00000001', '{'1' * 64}', 'batch', 'read,write', 5000000000,"
        f" '{NOON}', '{NOON}', '{NOON}', '{NOON}', NULL)",
        f"{KEY}(72, 71, NULL, 'bb', 'ak_00000003', '{'3' * 64}', 'old', 'read,write,admin,delete',"
        f" 7, '{NOON}', '{NOON}', NULL, NULL, '{NOON}')",
        "INSERT INTO rate_limit_counters (owner, seconds, used, resets_at)"
        " VALUES ('account:70', 60, 9, 1778068800.5), ('account:70', 86400, 5000000000, 1e10)",
    ],
    "0002": [
        "INSERT INTO audit_events"
        " (id, at, os_user, sudo_user, host, action, account, key_id, prefix, detail)"
        f" VALUES (70, '{NOON}', 'root', 'alice', 'vm', 'key revoked', 'acme', 72, 'ak_00000003',"
        f" 'was active'), (71, '{NOON}', 'root', NULL, 'vm', 'account created', 'acme', NULL, NULL,"
        " 'tier free')"
    ],
    "0003": [
        "INSERT INTO rate_limit_windows"
        " (owner, used_1, ends_1, used_2, ends_2, used_3, ends_3, last_end)"
        " VALUES ('account:71', 9, 1778068800.5, 0, 0, 5000000000, 1e10, 1e10)"
    ],
    "0004": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, webhook_url, webhook_secret, former_webhook_secret, former_secret_ends_at,"
        f" created_at) VALUES (70, 70, 'cpu', 'Minutes', 5, 0.001, 'both', NULL, NULL, NULL, NULL,"
        f" '{NOON}'), (71, 71, 'sales', 'Daily', 1, 0.01, 'up', 'https://example.com/hook',"
        f" 'whsec_bmV3', 'whsec_b2xk', '{NOON}', '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, suffix, axis, anchor, day, least_day,"
        " second_of_day, newest_place, newest_at, points, events, is_learning, open_event_id,"
        " overdue_event_id, overdue_at, state) VALUES (70, 0, NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL, NULL, 0, 0, TRUE, NULL, NULL, NULL, NULL),"
        " (71, 5000000000, '+02:00', 'business days', 730000, NULL, NULL, 32400, 9, '2026-05-06"
        f" 12:00:00', 2, 1, FALSE, 7, NULL, '{NOON}', NULL)",
        "INSERT INTO monitor_points (monitor_id, place, value, status, is_anomaly, expected,"
        " lower_bound, upper_bound, p_value, severity) VALUES (71, -1, 1.5, 'late', FALSE, NULL,"
        " NULL, NULL, NULL, NULL), (71, 9, 1e100, 'judged', TRUE, 2.5, 1.5, 3.5, 1e-300, 100)",
        "INSERT INTO monitor_events (monitor_id, id, revision, kind, direction, start_place,"
        " end_place, peak_place, severity, closed_as, opened_at, closed_at) VALUES (71, 7, 7,"
        f" 'spike', 'up', 9, NULL, 9, 100, NULL, '{NOON}', NULL)",
        "INSERT INTO webhook_deliveries (id, monitor_id, event_id, message_id, type, payload,"
        " created_at, next_attempt_at, leased_until, attempts, last_problem, delivered_at,"
        f" failed_at) VALUES (70, 71, 7, 'msg_a', 'event.opened', '{{}}', '{NOON}', '{NOON}', NULL,"
        " 1, 'timed out', NULL, NULL)",
    ],
    "0005": [
        "INSERT INTO accounts (id, name, tier, per_minute, per_hour, per_day, created_at,"
        f" suspended_at) VALUES (72, 'late', NULL, NULL, NULL, NULL, '{NOON}', '{NOON}')",
        "INSERT INTO api_keys (id, account_id, successor_id, lineage, prefix, key_hash, label,"
        " permissions, usage_count, last_used_at, created_at, expires_at, grace_ends_at,"
        f" revoked_at, suspended_at) VALUES (73, 72, NULL, 'cc', 'ak_00000004', '{'4' * 64}', '',"
        f" 'admin', 0, NULL, '{NOON}', NULL, NULL, NULL, '{NOON}')",
        "INSERT INTO audit_events (id, at, os_user, sudo_user, host, member, by_key_id, by_prefix,"
        f" address, action, account, key_id, prefix, detail) VALUES (72, '{NOON}', '', NULL, '',"
        " 'a@example.com', NULL, NULL, '2001:db8::1', 'key created', 'late', 73, 'ak_00000004',"
        f" ''), (73, '{NOON}', '', NULL, '', NULL, 73, 'ak_00000004', NULL, 'key created',"
        " 'late', 73, 'ak_00000004', '')",
    ],
    "0006": [
        "INSERT INTO members (id, account_id, email, role, password_hash, created_at,"
        f" last_sign_in_at) VALUES (70, 70, 'ada@example.com', 'admin', '$argon2id$x', '{NOON}',"
        f" '{NOON}'), (71, 71, 'ada@example.com', 'viewer', NULL, '{NOON}', NULL)",
        "INSERT INTO invitations (id, token_hash, member_id, created_at, expires_at, used_at)"
        f" VALUES (70, '{'4' * 64}', 70, '{NOON}', '{NOON}', '{NOON}'),"
        f" (71, '{'5' * 64}', 71, '{NOON}', '{NOON}', NULL)",
        "INSERT INTO sessions (id, token_hash, member_id, created_at, last_seen_at, address,"
        f" user_agent) VALUES (70, '{'6' * 64}', 70, '{NOON}', '{NOON}', '2001:db8::1', 'curl'),"
        f" (71, '{'7' * 64}', 70, '{NOON}', '{NOON}', NULL, '')",
        "INSERT INTO sign_in_flows (state_hash, nonce, code_verifier, account, expires_at)"
        f" VALUES ('{'8' * 64}', 'n', 'v', NULL, '{NOON}'), ('{'9' * 64}', 'n', 'v', 'acme',"
        f" '{NOON}')",
    ],
    "0007": [
        "INSERT INTO usage_hours (account_id, hour, key_id, endpoint, status_class, calls)"
        " VALUES (70, 1778068800, 70, 'POST /forecast', 2, 5000000000)",
        "INSERT INTO account_hours (account_id, hour, endpoint, status, latency_bucket, calls)"
        " VALUES (70, 1778068800, 'POST /forecast', 200, 7, 5000000000)",
        "INSERT INTO account_days (account_id, day, endpoint, status, latency_bucket, calls)"
        " VALUES (70, 1778025600, 'POST /forecast', 200, 16, 5000000000)",
        "INSERT INTO key_days (account_id, day, key_id, calls, errors)"
        " VALUES (70, 1778025600, 70, 5000000000, 7)",
        "INSERT INTO failure_days (account_id, day, endpoint, status, field, key_id, calls)"
        " VALUES (70, 1778025600, 'POST /forecast', 422, 'series.values', 70, 7),"
        " (71, 1778025600, 'GET /monitors/{name}', 404, '', 72, 1)",
        "INSERT INTO key_addresses (account_id, key_id, address, first_seen, last_seen, calls)"
        " VALUES (70, 70, '2001:db8:ffff:ffff::/64', 1778068800, 1778068801, 5000000000)",
    ],
    "0008": [
        "INSERT INTO monitor_detectors (monitor_id, part, packed) VALUES"
        " (70, 0, :packed), (70, 1, :packed), (71, 0, :packed)"
    ],
    "0009": [
        "INSERT INTO webhook_deliveries (id, monitor_id, event_id, message_id, type, payload,"
        " created_at, next_attempt_at, leased_until, attempts, last_problem, delivered_at,"
        f" failed_at) VALUES (71, 71, 7, 'msg_b', 'event.closed', '{{}}', '{NOON}', NULL, NULL,"
        f" 1, NULL, '{NOON}', NULL)"
    ],
    "0010": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, alert_severity, alert_min_deviation, muted_until, created_at) VALUES (72, 71,"
        f" 'disk', 'Hours', 1, 0.001, 'both', 62.5, 1e100, '{NOON}', '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, points, events, is_learning,"
        " learning_reason) VALUES (72, 9, 0, 0, TRUE, 'changed')",
        "INSERT INTO monitor_events (monitor_id, id, revision, kind, direction, start_place,"
        " end_place, peak_place, severity, closed_as, opened_at, closed_at, deviation, is_alert,"
        f" is_withheld) VALUES (72, 7, 7, 'dip', 'down', 9, NULL, 9, 49.5, NULL, '{NOON}', NULL,"
        " 2.5, FALSE, TRUE)",
    ],
    "0011": [
        "INSERT INTO webhooks (id, account_id, name, url, format, secret, former_secret,"
        " former_secret_ends_at, is_managed, created_at) VALUES (70, 71, 'ops',"
        " 'https://example.com/ops', 'standard', 'whsec_bmV3', 'whsec_b2xk',"
        f" '{NOON}', FALSE, '{NOON}'), (71, 71, 'chat', 'https://example.com/chat', 'text', NULL,"
        f" NULL, NULL, TRUE, '{NOON}')",
        "INSERT INTO monitor_webhooks (monitor_id, webhook_id) VALUES (72, 70)",
        "INSERT INTO deliveries (id, webhook_id, subject, message_id, type, payload, text,"
        " created_at, next_attempt_at, leased_until, attempts, attempted_at, last_status,"
        f" last_problem, delivered_at, failed_at) VALUES (70, 70, 'monitor:72', 'msg_c',"
        f" 'event.opened', '{{}}', 'disk', '{NOON}', '{NOON}', NULL, 1, '{NOON}', 500,"
        f" 'returned 500', NULL, NULL), (71, 71, '', 'msg_d', 'webhook.test', '{{}}', 'chat',"
        f" '{NOON}', NULL, NULL, 1, '{NOON}', NULL, 'no response within 10 s', NULL, '{NOON}')",
    ],
    "0012": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, fed_by, created_at) VALUES (73, 71, 'rate.shop', 'Minutes', 5, 0.001, 'both',"
        f" 'rate', '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, points, events, is_learning,"
        " is_absent) VALUES (73, 9, 0, 0, TRUE, TRUE)",
        "INSERT INTO sources (id, account_id, name, url, authorization_type, credentials, tenant,"
        " alertmanagers, created_at) VALUES (70, 71, 'prod', 'https://example.com', 'bearer',"
        f" 'gAAAA', 'team', '[\"https://example.com\"]', '{NOON}')",
        "INSERT INTO source_queries (id, source_id, account_id, name, query, step, history, delay,"
        " max_series, false_alarm_rate, direction, alert_severity, alert_min_deviation,"
        " muted_until, webhook_id, created_at, state, next_poll_at, leased_until, lease, fill_to,"
        " read_to, polled_at, failures, failing_since, problem, series, fill_notices, notices)"
        " VALUES (70, 70, 71, 'rate', 'up', 300, 4032, 45, 100, 0.001, 'both', 62.5, 1e100,"
        f" '{NOON}', 70, '{NOON}', 'failing', '{NOON}', '{NOON}', 7, 1778068800, 5000000000,"
        f" '{NOON}', 3, '{NOON}', 'cannot connect', 1, '[]', '[\"a\"]')",
        "INSERT INTO source_series (monitor_id, query_id, labels, since, seen_to) VALUES (73, 70,"
        ' \'{"service":"shop"}\', 1778068800, 5000000000)',
    ],
    "0013": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, \"limit\", created_at) VALUES (74, 71, 'quota', 'Hours', 1, 0.001, 'both',"
        ' \'{"upper": 95.0, "lower": null, "horizon": 72, "probability": 0.8}\','
        f" '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, points, events, is_learning)"
        " VALUES (74, 9, 0, 0, TRUE)",
        "INSERT INTO monitor_limits (monitor_id, due_at, place, low_evaluations, probability,"
        f" direction, reached_place) VALUES (74, '{NOON}', 9, 1, 0.84, 'up', 5000000000)",
    ],
    "0014": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, alert_for, alert_min_relative, created_at) VALUES (75, 71, 'lasting',"
        f" 'Hours', 1, 0.001, 'both', 3, 0.5, '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, points, events, is_learning)"
        " VALUES (75, 9, 0, 0, TRUE)",
        "INSERT INTO monitor_events (monitor_id, id, revision, kind, direction, start_place,"
        " end_place, peak_place, severity, closed_as, opened_at, closed_at, deviation, expected)"
        f" VALUES (75, 7, 7, 'dip', 'down', 9, NULL, 9, 49.5, NULL, '{NOON}', NULL, 2.5, 1e100)",
        "INSERT INTO sources (id, account_id, name, url, alertmanagers, labels, created_at)"
        f" VALUES (71, 71, 'team', 'https://example.com', '[]', '{{\"team\":\"a\"}}', '{NOON}')",
    ],
    "0015": [f"INSERT INTO worker_heartbeats (id, beaten_at) VALUES (1, '{NOON}')"],
    "0017": [
        "INSERT INTO source_queries (id, source_id, account_id, name, path_name, query, step,"
        " history, delay, max_series, false_alarm_rate, direction, alert_severity,"
        " alert_min_deviation, created_at, state, next_poll_at, lease, failures, series,"
        " fill_notices, notices) VALUES (71, 70, 71, 'prod-rate', 'rate', 'up', 300, 0, 45, 100,"
        f" 0.001, 'both', 50, 0, '{NOON}', 'waiting', '{NOON}', 0, 0, 0, '[]', '[]')"
    ],
    "0016": [
        "INSERT INTO sources (id, account_id, name, url, alertmanagers, alertmanager_problems,"
        " created_at) VALUES (72, 71, 'away', 'https://example.com', '[]',"
        f" '{{\"https://example.com\": {{}}}}', '{NOON}')"
    ],
    "0018": [
        "INSERT INTO monitors (id, account_id, name, data_frequency, step, false_alarm_rate,"
        " direction, \"limit\", created_at) VALUES (76, 71, 'failing', 'Hours', 1, 0.001, 'both',"
        ' \'{"upper": 95.0, "lower": null, "horizon": 72, "probability": 0.8}\','
        f" '{NOON}')",
        "INSERT INTO monitor_states (monitor_id, revision, points, events, is_learning)"
        " VALUES (76, 9, 0, 0, TRUE)",
        "INSERT INTO monitor_limits (monitor_id, due_at, low_evaluations, failing_since)"
        f" VALUES (76, '{NOON}', 0, '{NOON}')",
    ],
}

TABLES: dict[str, set[str]] = {
    "0001": {"accounts", "api_keys", "rate_limit_counters"},
    "0002": {"audit_events"},
    "0003": {"rate_limit_windows"},
    "0004": {
        "monitors",
        "monitor_states",
        "monitor_points",
        "monitor_events",
        "webhook_deliveries",
    },
    "0005": set(),
    "0006": {"members", "invitations", "sessions", "sign_in_flows"},
    "0007": {
        "usage_hours",
        "account_hours",
        "account_days",
        "key_days",
        "failure_days",
        "key_addresses",
    },
    "0008": {"monitor_detectors"},
    "0009": set(),
    "0010": set(),
    "0011": {"webhooks", "monitor_webhooks", "deliveries"},
    "0012": {"sources", "source_queries", "source_series"},
    "0013": {"monitor_limits"},
    "0014": set(),
    "0015": {"worker_heartbeats"},
    "0016": set(),
    "0017": set(),
    "0018": set(),
}
UNUSED = {"rate_limit_counters", "webhook_deliveries"}  # a later revision drops them


Columns = dict[str, list[str]]


def revisions() -> list[str]:
    """Return all revisions, oldest first."""
    scripts = ScriptDirectory(str(ROOT / "migrations")).walk_revisions()
    return [script.revision for script in scripts][::-1]


def up_to(revision: str) -> list[str]:
    """Return all revisions up to ``revision``, oldest first."""
    result = revisions()
    return result[: result.index(revision) + 1]


def fill(connection: Connection, revision: str) -> None:
    """Write the rows of a database of ``revision``."""
    for step in up_to(revision):
        for statement in ROWS[step]:
            connection.execute(text(statement), {"packed": PACKED})


def rows_of(
    connection: Connection, revision: str, columns: Columns | None = None
) -> dict[str, list[Row[Any]]]:
    """Return all rows of all tables of ``revision``, with these columns; None: all columns."""
    columns_by_table = columns or dict.fromkeys(
        table for step in up_to(revision) for table in TABLES[step]
    )
    return {
        table: sorted(
            connection.execute(text(f"SELECT {_columns(names)} FROM {table}")).all(), key=str
        )
        for table, names in columns_by_table.items()
    }


def _columns(names: list[str] | None) -> str:
    """Return columns quoted for SQL, all for None: a name may be a reserved word."""
    return ", ".join(f'"{name}"' for name in names or ()) or "*"


def columns_of(rows: dict[str, list[Row[Any]]]) -> Columns:
    """Return the names of the columns that rows were read with."""
    return {table: list(read[0]._fields) for table, read in rows.items()}
