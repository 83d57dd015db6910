"""Each shipped rule fires in Prometheus' own evaluation, with the words that people get."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.shipped import DASHBOARDS, NAMES, RULES, queries_of, rules
from tests.support.programs import find_binary

NODE = 'instance="node:8000",job="forecast-service"'
PROBE = 'instance="https://forecast.example.com/readyz",job="forecast-service-readyz"'
SOURCE = 'account="acme",source="prod"'
QUERY = f'{SOURCE},query="rate"'
# Series and their values each minute, in promtool's notation: `0+60x10` rises ten times by 60.
Series = dict[str, str]
INSTANCE = {"instance": "node:8000"}
NODE_LABELS = INSTANCE | {"job": "forecast-service"}
QUERY_LABELS = {"account": "acme", "source": "prod", "query": "rate"}
PROBE_LABELS = {"instance": "https://forecast.example.com/readyz", "job": "forecast-service-readyz"}
DISK_LABELS = {"instance": "node:9100", "mountpoint": "/var", "fstype": "ext4"}
UNIT_LABELS = {
    "instance": "node:9100",
    "name": "forecast-service-backup.service",
    "state": "failed",
}


@dataclass(frozen=True)
class Firing:
    """What makes a rule fire.

    Attributes:
        series: The values.
        minutes: When it fires, and has not half as early.
        summary: What the alert says.
        labels: Those of the alert besides its name and severity.
    """

    series: Series
    minutes: int
    summary: str
    labels: dict[str, str] = field(default_factory=dict)


def labels_in_promql(labels: dict[str, str]) -> str:
    """Return labels in PromQL."""
    return ",".join(f'{name}="{value}"' for name, value in labels.items())


def requests(status: int) -> str:
    """Return the counter of forecasts with a status."""
    return f'forecast_http_requests_total{{{NODE},route="/forecast",status="{status}"}}'


FIRING = {
    "ForecastServiceDown": Firing(
        {f"up{{{NODE}}}": "1x5 0x10"}, 9, "node:8000 exports no metrics", NODE_LABELS
    ),
    "ForecastServerErrors": Firing(
        {requests(200): "0+90x30", requests(500): "0+10x30"},
        12,
        "10% of the calls to node:8000 get 500",
        INSTANCE,
    ),
    "ForecastKeyStoreAway": Firing(
        {f"forecast_key_store_failures_total{{{NODE}}}": "0x5 1+1x30"},
        16,
        "The database of node:8000 is unavailable or returns errors",
        NODE_LABELS,
    ),
    "ForecastLimitStoreAway": Firing(
        {f"forecast_limit_store_failures_total{{{NODE}}}": "0x5 1+1x30"},
        16,
        "node:8000 cannot reach the limit store; each worker counts in memory",
        NODE_LABELS,
    ),
    "ForecastOverload": Firing(
        {
            f"forecast_engine_wait_seconds{{{NODE}}}": "0x5 4x30",
            f"forecast_engine_wait_limit_seconds{{{NODE}}}": "5x40",
        },
        20,
        "node:8000 has 80% of what may wait for its engines; beyond that, jobs are rejected",
        NODE_LABELS,
    ),
    "ForecastSlow": Firing(
        {
            f'forecast_engine_duration_seconds_bucket{{{NODE},engine_job="m3",le="{le}"}}': rise
            for le, rise in (("10", "0x40"), ("20", "0+10x40"), ("+Inf", "0+10x40"))
        },
        25,
        "m3 on node:8000 takes 19.5s (p95)",
        INSTANCE | {"engine_job": "m3"},
    ),
    "ForecastEngineFailures": Firing(
        {f'forecast_engine_failures_total{{{NODE},engine_job="m3"}}': "0x5 1x20"},
        8,
        "The engine of node:8000 failed or took too long (m3)",
        NODE_LABELS | {"engine_job": "m3"},
    ),
    "ForecastFallbacks": Firing(
        {
            f'forecast_fallbacks_total{{{NODE},engine_job="m1"}}': "0+5x80",
            f'forecast_engine_duration_seconds_count{{{NODE},engine_job="m1"}}': "0+100x80",
        },
        70,
        "5% of the forecasts with m1 come from a simpler model",
        {"engine_job": "m1"},
    ),
    "ForecastWorkersMissing": Firing(
        {f"forecast_web_workers{{{NODE}}}": "4x120 3x30"},
        140,
        "node:8000 runs 3 web workers, fewer than usual today",
        NODE_LABELS,
    ),
    "ForecastKeysRefused": Firing(
        {f'forecast_authentication_failures_total{{{NODE},reason="refused"}}': "0+60x60"},
        40,
        "1 requests per second with a key that is not valid",
    ),
    "ForecastLimitRefusals": Firing(
        {f'forecast_limit_refusals_total{{{NODE},tier="free"}}': "0+60x150"},
        140,
        "free: 1 requests per second over the limit",
        {"tier": "free"},
    ),
    "ForecastWorkerAway": Firing(
        {f"forecast_worker_heartbeat_age_seconds{{{NODE}}}": "5x5 60+60x20"},
        10,
        "No worker has run for 5m 0s: nothing is polled or sent, and alerts of sources expire",
    ),
    "ForecastWebhooksWaiting": Firing(
        {f"forecast_webhook_delay_seconds{{{NODE}}}": "0x5 180x20"},
        14,
        "A webhook is 3m 0s late: the worker is not running or cannot keep up",
    ),
    "ForecastWebhooksFailing": Firing(
        {f'forecast_webhook_deliveries{{{NODE},state="failed"}}': "0x5 1x20"},
        18,
        "Webhooks are not accepted: one has been pending for more than an hour, or some have failed"
        " this week",
    ),
    "ForecastSourceFailing": Firing(
        {f"forecast_source_state{{{NODE},{QUERY}}}": "0x5 2x30"},
        22,
        "rate of prod (acme) cannot be read",
        QUERY_LABELS,
    ),
    "ForecastSourceLag": Firing(
        {
            f"forecast_source_state{{{NODE},{QUERY}}}": "0x40",
            f"forecast_source_lag_seconds{{{NODE},{QUERY}}}": "0x5 600x30",
        },
        18,
        "rate of prod (acme) is read 10m 0s late",
        QUERY_LABELS,
    ),
    "ForecastAlertmanagerAway": Firing(
        {f"forecast_source_alertmanagers_failing{{{NODE},{SOURCE}}}": "0x5 1x30"},
        14,
        "Alertmanagers of prod (acme) that accept no alerts: 1",
        {"account": "acme", "source": "prod"},
    ),
    "ForecastMonitorAlarm": Firing(
        {
            f'forecast_monitor_state{{{NODE},account="acme",monitor="cpu"}}': "1x5 2x5",
            f'forecast_monitor_alert{{{NODE},account="acme",monitor="cpu"}}': "0x5 1x5",
        },
        8,
        "cpu of acme is anomalous",
        {"account": "acme", "monitor": "cpu"},
    ),
    "ForecastMonitorFits": Firing(
        {f"forecast_monitor_fit_failures_total{{{NODE}}}": "0+1x90"},
        70,
        "30 fits of monitors failed in half an hour: they judge by older ones",
    ),
    "ForecastMonitorLimits": Firing(
        {f"forecast_monitor_limit_failing_seconds{{{NODE}}}": "0x5 0+60x30"},
        26,
        "A limit of a monitor has not been evaluated for 20m 0s",
    ),
    "ForecastNotReady": Firing(
        {f"probe_success{{{PROBE}}}": "1x5 0x10"},
        9,
        "https://forecast.example.com/readyz is not ready, or cannot be reached from outside",
        PROBE_LABELS,
    ),
    "ForecastCertificate": Firing(
        {f"probe_ssl_earliest_cert_expiry{{{PROBE}}}": "864000x90"},
        80,
        "The certificate of https://forecast.example.com/readyz expires in 9d 22h 40m 0s",
        PROBE_LABELS,
    ),
    "ForecastDiskFull": Firing(
        {
            f"node_filesystem_avail_bytes{{{labels_in_promql(DISK_LABELS)}}}": "50x5 5x30",
            f"node_filesystem_size_bytes{{{labels_in_promql(DISK_LABELS)}}}": "100x40",
        },
        18,
        "/var of node:9100 has 5% left",
        DISK_LABELS,
    ),
    "ForecastBackupFailed": Firing(
        {f"node_systemd_unit_state{{{labels_in_promql(UNIT_LABELS)}}}": "0x5 1x20"},
        14,
        "Last night's copy of the database on node:9100 was not made",
        UNIT_LABELS,
    ),
}
CALM: Series = {
    f"up{{{NODE}}}": "1x200",
    requests(200): "0+90x200",
    requests(500): "0x200",
    f"forecast_engine_jobs_in_flight{{{NODE}}}": "1x200",
    f"forecast_engine_jobs_limit{{{NODE}}}": "8x200",
    f"forecast_web_workers{{{NODE}}}": "4x200",
    f"forecast_worker_heartbeat_age_seconds{{{NODE}}}": "5x200",
    f"forecast_webhook_delay_seconds{{{NODE}}}": "1x200",
    f"forecast_webhook_oldest_pending_seconds{{{NODE}}}": "30x200",
    f'forecast_webhook_deliveries{{{NODE},state="failed"}}': "0x200",
    f"forecast_source_state{{{NODE},{QUERY}}}": "0x200",
    f"forecast_source_lag_seconds{{{NODE},{QUERY}}}": "20x200",
    f"forecast_source_alertmanagers_failing{{{NODE},{SOURCE}}}": "0x200",
    f'forecast_monitor_state{{{NODE},account="acme",monitor="cpu"}}': "1x100 4x100",
    f'forecast_monitor_alert{{{NODE},account="acme",monitor="cpu"}}': "0x200",
}


def promtool(folder: Path, *words: str, **files: Any) -> str:
    """Return what promtool complains of, nothing if all is well; files are written as YAML."""
    for name, content in files.items():
        (folder / f"{name}.yml").write_text(yaml.safe_dump(content))
    command = [find_binary("promtool"), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def failures_of_rules(folder: Path, tests: list[dict[str, Any]]) -> str:
    """Return what differs from the tests of rules."""
    files = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}
    return promtool(folder, "test", "rules", "tests.yml", tests=files)


def inputs(series: Series) -> dict[str, Any]:
    """Return the beginning of a test: the series, each minute."""
    input_series = [{"series": name, "values": values} for name, values in series.items()]
    return {"interval": "1m", "input_series": input_series}


def severities() -> dict[str, str]:
    """Return the severity of each rule."""
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {
        rule["alert"]: rule["labels"]["severity"] for group in groups for rule in group["rules"]
    }


def test_every_rule_is_made_to_fire() -> None:
    assert FIRING.keys() == rules().keys()


@pytest.mark.parametrize("alert", FIRING)
def test_a_rule_fires_and_says_what_is_wrong(alert: str, tmp_path: Path) -> None:
    firing = FIRING[alert]
    expected = {
        "exp_labels": firing.labels | {"severity": severities()[alert]},
        "exp_annotations": {"summary": firing.summary},
    }
    times = [
        {"eval_time": f"{firing.minutes}m", "alertname": alert, "exp_alerts": [expected]},
        {"eval_time": "1m", "alertname": alert, "exp_alerts": []},
    ]
    assert failures_of_rules(tmp_path, [inputs(firing.series) | {"alert_rule_test": times}]) == ""


def test_no_rule_fires_while_all_is_well(tmp_path: Path) -> None:
    nothing = [
        {"eval_time": f"{minutes}m", "expr": 'ALERTS{alertstate="firing"}', "exp_samples": []}
        for minutes in (10, 90, 190)
    ]
    assert failures_of_rules(tmp_path, [inputs(CALM) | {"promql_expr_test": nothing}]) == ""


def test_a_worker_without_a_heartbeat_is_critical() -> None:
    assert severities()["ForecastWorkerAway"] == "critical"


def test_an_alert_about_a_limit_fires_while_the_monitor_is_normal(tmp_path: Path) -> None:
    of_monitor = f'{NODE},account="acme",monitor="disk"'
    series = {
        f"forecast_monitor_state{{{of_monitor}}}": "1x10",
        f"forecast_monitor_alert{{{of_monitor}}}": "0x5 1x5",
    }
    expected = {
        "exp_labels": {"account": "acme", "monitor": "disk", "severity": "warning"},
        "exp_annotations": {"summary": "disk of acme is at or near its limit"},
    }
    times = [{"eval_time": "8m", "alertname": "ForecastMonitorAlarm", "exp_alerts": [expected]}]
    assert failures_of_rules(tmp_path, [inputs(series) | {"alert_rule_test": times}]) == ""


def test_an_alarm_of_a_monitor_survives_a_restart_of_the_service(tmp_path: Path) -> None:
    of_monitor = f'{NODE},account="acme",monitor="cpu"'
    series = {
        f"forecast_monitor_{name}{{{of_monitor}}}": values
        for name, values in (("state", "2x5 _x3 2x10"), ("alert", "1x5 _x3 1x10"))
    }
    fires = [
        {
            "eval_time": f"{minutes}m",
            "expr": 'count(ALERTS{alertname="ForecastMonitorAlarm",alertstate="firing"})',
            "exp_samples": [{"labels": "{}", "value": 1}],
        }
        for minutes in range(2, 14)
    ]
    assert failures_of_rules(tmp_path, [inputs(series) | {"promql_expr_test": fires}]) == ""


def test_the_series_of_these_tests_are_those_of_the_service(samples: set[str]) -> None:
    tested = [name for firing in FIRING.values() for name in firing.series]
    assert {
        name for expression in [*tested, *CALM] for name in NAMES.findall(expression)
    } <= samples


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_prometheus_can_read_the_queries_of_a_dashboard(dashboard: str, tmp_path: Path) -> None:
    queries = queries_of(dashboard).values()
    recorded = [{"record": f"panel:{number}", "expr": q} for number, q in enumerate(queries)]
    file = {"groups": [{"name": "dashboard", "rules": recorded}]}
    assert promtool(tmp_path, "check", "rules", "rules.yml", rules=file) == ""
