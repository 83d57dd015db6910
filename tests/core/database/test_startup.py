"""What a server says of its database before it starts."""

from pathlib import Path

import pytest

from app import create_admin_app
from app.core.database.revisions import startup_problem


def test_a_folder_that_does_not_exist_ends_the_start_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/nosuch/x.db")
    with create_admin_app().app_context():
        assert startup_problem() == f"DATABASE_URL: the folder {tmp_path}/nosuch does not exist"
