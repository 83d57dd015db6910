"""Settings: typed fields, defaults of the documents, and one clear line for a wrong value."""

import re

import pytest

from app.api.endpoints.endpoint import endpoints_of
from app.core.environment import SettingError, load_settings
from app.core.settings import MAX_CALL_SECONDS, SETTINGS

REDIS, POSTGRESQL = "redis://cache:6379/0", "postgresql://db/counters"
WRONG = {
    "MAX_POINTS": ["many", "-1", "0", "9", "1.5", "1e3", "٣٣٣", "99999999999"],
    "MAX_BODY_BYTES": ["4MB", "0"],
    "ANONYMOUS_PER_MINUTE": ["0", "-60", "sixty"],
    "PUBLIC_DOCS": ["2", "off"],
    "ACCOUNT_DASHBOARD": ["2", "off"],
    "OIDC_ISSUER": ["login.example.com", "http://login.example.com", "https://"],
    "OIDC_CLIENT_ID": ["without the others"],
    "OIDC_CLIENT_SECRET": ["without the others"],
    "PAGES_PER_MINUTE": ["0", "many"],
    "PROCESS_MEMORY_MB": ["299", "400M"],
    "REQUIRE_HTTPS": ["2", "on?", "maybe"],
    "TRUSTED_PROXIES": ["-1", "11", "nginx"],
    "FORECAST_TIMEOUT_SECONDS": ["0", "601", "30s"],
    "FORECAST_QUEUE": ["0", "513", "x"],
    "FORECAST_WAIT_SECONDS": ["0", "601", "5s"],
    "WEB_CONCURRENCY": ["0", "two", "257"],
    "BIND": ["8000", "127.0.0.1", "unix:", "a:99999", "a:0", "http://a:80", "a b:1", "a:١"],
    "PORT": ["0", "http", "65536"],
    "METRICS_ALLOWED": ["localhost", "10.0.0.1/8", "10.0.0.0/8;10.1.0.0/16", "10.0.0.1,"],
    "MONITOR_POINTS_KEPT": ["999", "all"],
    "MONITOR_EVENTS_KEPT": ["9", "-1"],
    "MONITORS_PER_ACCOUNT": ["-1", "unlimited"],
    "MONITOR_METRICS": ["2", "off"],
    "USAGE_ADDRESSES": ["2", "off"],
    "WEBHOOKS_PER_ACCOUNT": ["-1", "unlimited"],
    "WEBHOOK_ALLOWED_NETWORKS": ["localhost", "10.0.0.1/8"],
    "SOURCE_ALLOWED_NETWORKS": ["localhost", "10.0.0.1/8"],
    "SOURCES_PER_ACCOUNT": ["-1", "unlimited"],
    "QUERIES_PER_SOURCE": ["0", "many"],
    "SERIES_PER_QUERY": ["0", "10001"],
    "SOURCE_LEAST_STEP": ["0", "1s"],
    "SECRETS_KEY": ["secret", "c2hvcnQ=", "ü"],
    "PUBLIC_URL": ["forecast.example.com", "ftp://x", "https://x/?y"],
    "WORKER_POLLS": ["0", "33"],
    "LOG_LEVEL": ["LOUD", "5"],
    "DATABASE_URL": ["nonsense", "mysql://x/y", "redis://x", "postgresql://u:p@h:x/d"],
    "RATELIMIT_STORAGE_URI": [
        "nonsense",
        "mongodb://x",
        "memcached://x",
        "redis://[",
        "redis://h:port",
    ],
    "REDIS_URL": ["nonsense", "http://x"],
}


def test_each_variable_sets_one_field_and_its_help_is_a_sentence() -> None:
    names = [setting.name for setting in SETTINGS.values()]
    assert len(set(names)) == len(names)
    assert all(setting.help.endswith(".") for setting in SETTINGS.values())


def test_the_defaults_are_those_of_the_decisions() -> None:
    settings = load_settings({})
    assert (settings.max_points, settings.max_body_bytes) == (50_000, 4 * 1024 * 1024)
    assert settings.anonymous_per_minute == 60
    assert not settings.require_https
    assert settings.database_url.startswith("sqlite:///")
    assert settings.counter_storage_uri == settings.database_url


def test_every_call_can_end_when_the_service_stops(app) -> None:
    settings = load_settings({"FORECAST_TIMEOUT_SECONDS": "1"})
    limits = [endpoint.time_limit_seconds for endpoint in endpoints_of(app).values()]
    assert settings.stop_seconds > MAX_CALL_SECONDS >= max(limits) > 0
    assert load_settings({"FORECAST_TIMEOUT_SECONDS": "600"}).stop_seconds > 600


@pytest.mark.parametrize("field", SETTINGS)
def test_an_empty_value_is_an_absent_one(field) -> None:
    assert load_settings({SETTINGS[field].name: ""}) == load_settings({})


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_the_urls_that_platforms_hand_out_are_understood(scheme) -> None:
    settings = load_settings({"DATABASE_URL": f"{scheme}://user:secret@host:5432/name"})
    assert settings.database_url == "postgresql+psycopg://user:secret@host:5432/name"


@pytest.mark.parametrize(
    ("environ", "chosen"),
    [
        ({}, "sqlite:////keys.db"),
        ({"REDIS_URL": REDIS}, REDIS),
        ({"RATELIMIT_STORAGE_URI": "memory://"}, "memory://"),
        ({"RATELIMIT_STORAGE_URI": "memory://", "REDIS_URL": REDIS}, "memory://"),
        ({"RATELIMIT_STORAGE_URI": POSTGRESQL}, "postgresql+psycopg://db/counters"),
        ({"RATELIMIT_STORAGE_URI": "valkey://cache"}, "valkey://cache"),
    ],
)
def test_counters_go_to_the_most_specific_store(environ, chosen) -> None:
    settings = load_settings({"DATABASE_URL": "sqlite:////keys.db"} | environ)
    assert settings.counter_storage_uri == chosen


@pytest.mark.parametrize("text", ["1", "true", "TRUE", "yes"])
def test_a_flag_can_be_set(text) -> None:
    assert load_settings({"REQUIRE_HTTPS": text}).require_https


@pytest.mark.parametrize("text", ["0", "false", "No"])
def test_a_flag_can_be_cleared(text) -> None:
    assert not load_settings({"REQUIRE_HTTPS": text}).require_https


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_a_wrong_value_is_one_line_that_names_the_variable(name, value) -> None:
    with pytest.raises(SettingError) as caught:
        load_settings({name: value})
    line = str(caught.value)
    assert line.startswith(f"{name}: ")
    assert re.search(r"[:;] set ", line)
    assert "\n" not in line


def test_a_number_of_many_digits_is_rejected_without_words_of_the_interpreter() -> None:
    with pytest.raises(SettingError, match="MAX_POINTS: set a whole number"):
        load_settings({"MAX_POINTS": "9" * 5_000})


def test_a_file_of_authorities_that_does_not_exist_is_named(tmp_path) -> None:
    authorities = tmp_path / "authorities.pem"
    with pytest.raises(SettingError, match="SSL_CERT_FILE: there is no such file"):
        load_settings({"SSL_CERT_FILE": str(authorities)})
    authorities.touch()
    load_settings({"SSL_CERT_FILE": str(authorities)})


def test_every_setting_has_a_wrong_value_here() -> None:
    assert set(WRONG) == {setting.name for setting in SETTINGS.values()}


def test_an_error_never_shows_a_password() -> None:
    with pytest.raises(SettingError) as caught:
        load_settings({"DATABASE_URL": "postgresql://user:hunter2@host:port/name"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("workers", "public", "engines"), [("1", "1", 2), ("1", "0", 1), ("2", "1", 2), ("4", "1", 4)]
)
def test_work_without_a_key_has_an_engine_beside_the_last_one(
    workers: str, public: str, engines: int
) -> None:
    settings = load_settings({"WEB_CONCURRENCY": workers, "PUBLIC_DOCS": public})
    assert settings.engine_processes == engines
