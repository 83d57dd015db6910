"""Every command of the documents is run by a test, or the document says why it is not."""

import os
import re
from pathlib import Path

import pytest

from app.identity.accounts.permissions import Permission
from app.ops import cli
from tests.docs.pages import documents, name_of, shell_blocks
from tests.support.keys import key_row, new_key
from tests.support.one_worker import server
from tests.support.programs import find_binary, output_of
from tests.support.server import ROOT, Server

__all__ = ["server"]  # fixtures

# Run here, block after block, by one shell against one service.
GUIDES = ("quick-start", "agents", "anomalies", "backtests", "holidays", "limits")
GUIDES += ("limits-ahead", "tables")
RUN_HERE = [f"docs/using/{guide}.md" for guide in GUIDES]
README_OF_THE_CLIENT = "clients/python/README.md"  # run by its own tests
# The pages whose commands have a test of their own, which names them in its first line.
RUN_ELSEWHERE = {
    page
    for test in (ROOT / "tests").rglob("test_*guide.py")
    for page in re.findall(r"docs/[\w/-]+\.md", test.read_text().partition("\n")[0])
}
EXPORTS = re.compile(r"^export FORECAST_.*\n", re.MULTILINE)


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_command_of_a_document_is_run_or_says_why_not(path: Path) -> None:
    name = name_of(path)
    if name in (*RUN_HERE, README_OF_THE_CLIENT) or name in RUN_ELSEWHERE:
        return
    assert [block.commands for block in shell_blocks(path) if not block.reason] == []


@pytest.mark.parametrize(("page", "language"), [("tables", "csv"), ("holidays", "http")])
def test_the_pages_whose_outputs_are_compared_show_one(page: str, language: str) -> None:
    assert f"```{language}\n" in (ROOT / "docs" / "using" / f"{page}.md").read_text()


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_request_fails_where_its_response_is_an_error(path: Path) -> None:
    requests = [
        line for line in path.read_text().splitlines() if re.match(r" *curl .*\$FORECAST_URL", line)
    ]
    assert [line for line in requests if "--fail-with-body" not in line] == []


@pytest.mark.parametrize("name", RUN_HERE)
def test_the_commands_of_a_guide_succeed(name: str, server: Server, tmp_path: Path) -> None:
    find_binary("curl")
    (tmp_path / "docs").symlink_to(ROOT / "docs")  # what they write is not left in the checkout
    key = new_key(server.environ["DATABASE_URL"], permissions=list(Permission))
    keys = {"FORECAST_URL": server.url, "FORECAST_KEY": key, "ADMIN_KEY": key}
    script = "\n".join(block.commands for block in shell_blocks(ROOT / name) if not block.reason)
    script = EXPORTS.sub("", script)
    # A key may change, rotate and, at the end, revoke itself.
    itself = key_row(server.environ["DATABASE_URL"], key)
    script = script.replace("/keys/3", f"/keys/{itself.id}")
    printed = output_of(["bash", "-euc", script], cwd=tmp_path, env=os.environ | keys)
    outputs = re.findall(
        r"^```(?:csv|http)\n(.*?)^```", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE
    )
    assert [output for output in outputs if output not in printed] == []
    assert outputs or printed.startswith("{")


def test_every_make_target_of_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in documents():
        named = set(re.findall(r"(?:`|^)make ([a-z-]+)", path.read_text(), re.MULTILINE))
        assert named - targets == set(), path


def test_every_admin_command_is_shown_to_admins_and_no_other() -> None:
    groups = {name: cli.load_group(name) for name in ("accounts", "keys", "backups", "members")}
    page = "\n".join(path.read_text() for path in (ROOT / "docs" / "running").glob("*.md"))
    shown = set(re.findall(r"forecast-service (accounts|keys|backups|members) ([a-z-]+)", page))
    assert {
        (group, name) for group, command_group in groups.items() for name in command_group.commands
    } == shown
