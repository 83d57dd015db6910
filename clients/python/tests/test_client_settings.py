"""The settings of a client, by arguments or the environment, and the errors of wrong ones."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import forecast_client
from forecast_client import AsyncForecastClient, ForecastClient, InsecureUrlWarning, SettingsError
from forecast_client.settings import KEY_VARIABLE, URL_VARIABLE
from scripted import KEY, URL

BOTH_CLIENTS = pytest.mark.parametrize("kind", [ForecastClient, AsyncForecastClient])
SOURCE = Path(forecast_client.__file__).parents[1]
IMPORT_SECONDS = 0.5


@BOTH_CLIENTS
def test_the_environment_has_the_defaults(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, f"{URL}/")
    monkeypatch.setenv(KEY_VARIABLE, f"{KEY}\n")
    assert kind().transport.url == URL
    assert kind("https://other.example").transport.url == "https://other.example"


@BOTH_CLIENTS
@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        (None, KEY, "FORECAST_URL"),
        ("", KEY, "FORECAST_URL"),
        (URL, None, "FORECAST_KEY"),
        (URL, "ak_1 2", "only the key"),
        (URL, f"Bearer {KEY}", "only the key"),
        (URL, "ak_é", "only the key"),
        ("forecast.example", KEY, "incomplete"),
        ("localhost:8000", KEY, "incomplete"),
        ("ftp://forecast.example", KEY, "incomplete"),
        ("https://", KEY, "incomplete"),
        ("https://forecast.example:port", KEY, "not a URL"),
        ("https://me:secret@forecast.example", KEY, "user name or password"),
        ("https://forecast.example/?key=secret", KEY, "a query"),
    ],
)
def test_a_wrong_setting_is_reported_without_the_key(
    kind: type, url: str | None, key: str | None, words: str
) -> None:
    with pytest.raises(SettingsError, match=words) as raised:
        kind(url, key)
    assert "secret" not in str(raised.value)
    assert not key or key not in str(raised.value)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), None])
def test_an_impossible_timeout_is_rejected(timeout: float) -> None:
    with pytest.raises(SettingsError, match="timeout"):
        ForecastClient(URL, KEY, timeout=timeout)


@BOTH_CLIENTS
@pytest.mark.parametrize(
    "option", [{"retries": None}, {"retries": "x"}, {"retries": -1}, {"max_wait": None}]
)
def test_impossible_retries_are_rejected_before_the_first_call(
    kind: type, option: dict[str, object]
) -> None:
    with pytest.raises(SettingsError, match=f"^{next(iter(option))}: .*pass "):
        kind(URL, KEY, **option)


@BOTH_CLIENTS
def test_a_key_over_plain_http_warns(kind: type) -> None:
    with pytest.warns(InsecureUrlWarning, match=r"forecast\.example") as caught:
        kind("http://forecast.example", KEY)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    "url", [URL, "http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"]
)
def test_a_safe_address_gives_no_warning(url: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ForecastClient(url, KEY)


@BOTH_CLIENTS
def test_a_client_shows_only_its_address(kind: type) -> None:
    assert repr(kind(URL, KEY)) == f"{kind.__name__}('{URL}')"


def test_importing_is_quick_and_loads_nothing_large() -> None:
    code = """
import sys, time
import forecast_client
heavy = {"pandas", "numpy", "matplotlib", "tqdm"} & set(sys.modules)
print(time.process_time(), *heavy)
"""
    command = [sys.executable, "-c", code]
    environ = {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environ)
    seconds, *heavy = done.stdout.split()
    assert heavy == []
    assert float(seconds) < IMPORT_SECONDS
