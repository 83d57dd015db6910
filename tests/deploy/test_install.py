"""What docs/running/by-hand.md has a shell do fits the service."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.server import ROOT

PAGE = (ROOT / "docs" / "running" / "by-hand.md").read_text()
ENVIRONMENT = "/etc/forecast-service/environment"
SITE = "/etc/nginx/conf.d/forecast-service.conf"
RENDERINGS = re.findall(r"^.*nginx/render\.py (?:.*\\\n)*.*", PAGE, re.MULTILINE)


def test_the_page_renders_nginx_for_the_first_and_for_the_real_certificate() -> None:
    assert len(RENDERINGS) == 2


@pytest.mark.parametrize("command", RENDERINGS, ids=["its own", "Let's Encrypt's"])
def test_the_site_is_rendered_with_the_settings_of_the_service(
    tmp_path: Path, command: str
) -> None:
    settings, site = tmp_path / "environment", tmp_path / "site.conf"
    settings.write_text(
        "DATABASE_URL=sqlite:////var/lib/forecast-service/forecast.db\n"
        "MAX_BODY_BYTES=2048\nFORECAST_QUEUE=5\nWEB_CONCURRENCY=3\nFORECAST_TIMEOUT_SECONDS=70\n"
    )
    script = command.replace(ENVIRONMENT, str(settings)).replace(SITE, str(site))
    assert script.count(str(tmp_path)) == 2
    subprocess.run(["sh", "-euc", f"SERVER=localhost\n{script}"], cwd=ROOT, check=True)
    text = site.read_text()
    for line in ("max_conns=8;", "client_max_body_size    2048;", "proxy_read_timeout 100s;"):
        assert line in text


def test_no_other_user_can_read_the_first_key_at_any_time(tmp_path: Path) -> None:
    key = tmp_path / "first-key"
    key.touch(0o644)  # what an attempt before has left
    writing = r"^.*/root/first-key\n(?:.*\\\n)*.*/root/first-key\n"
    commands = re.search(writing, PAGE, re.MULTILINE)[0]
    script = commands.replace("/root/first-key", str(key))
    assert script.count("forecast-service ") == 1
    # Instead of a key, the mode of the file that it is written into.
    stub = tmp_path / "forecast-service"
    stub.write_text(f"#!/bin/sh\nstat --format %a {key}\n")
    stub.chmod(0o755)
    environ = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["sh", "-euc", f"umask 022\n{script}"], check=True, env=environ)
    assert key.read_text() == "600\n"
    assert key.stat().st_mode & 0o777 == 0o600
