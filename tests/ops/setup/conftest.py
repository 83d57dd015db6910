"""The machine of the tests of the setup."""

from pathlib import Path

import pytest

from tests.ops.setup.pretended import PretendedMachine


@pytest.fixture
def machine(tmp_path: Path) -> PretendedMachine:
    return PretendedMachine(tmp_path / "machine")
