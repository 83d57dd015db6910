"""A mistake in the settings file is one sentence: the file, the line, what to write instead."""

from pathlib import Path

import pytest

from app.ops.settings_file import (
    SettingsFileError,
    move_settings,
    read_settings_file,
    replace_or_restore,
    replace_value,
)

SECRET = "c2VjcmV0"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "environment"


def test_values_are_read_as_systemd_reads_them(file: Path) -> None:
    file.write_text(
        "# The database\n\nDATABASE_URL='postgresql://u:p$w@/x?host=/run/postgresql'\n"
        'MAX_POINTS="100"\nREDIS_URL=\nSSL_CERT_FILE=/etc/ca.pem\nPGAPPNAME=forecasts\n'
        "OIDC_CLIENT_ID=a=b#c\nOIDC_CLIENT_SECRET='it # b'\n# export A=b # c\n"
    )
    assert read_settings_file(file) == {
        "DATABASE_URL": "postgresql://u:p$w@/x?host=/run/postgresql",
        "MAX_POINTS": "100",
        "REDIS_URL": "",
        "SSL_CERT_FILE": "/etc/ca.pem",
        "PGAPPNAME": "forecasts",
        "OIDC_CLIENT_ID": "a=b#c",
        "OIDC_CLIENT_SECRET": "it # b",
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("MAX_POINT=5", "line 1: MAX_POINT is not a setting; write MAX_POINTS"),
        ("\n\n# x\n\nmax_points=50", "line 5: max_points is not a setting; write MAX_POINTS"),
        ("TRUSTED_PROXIES=1\nCOLOUR=red", "line 2: COLOUR is not a setting; docs/running/settings"),
        ("MAX_POINTS=many", "line 1: MAX_POINTS: set a whole number from 10 to 1000000"),
        (f"SECRETS_KEY={SECRET}", "line 1: SECRETS_KEY: set keys as `openssl rand"),
        ("LOG_LEVEL=INFO\nMAX POINTS=5", "line 2: write NAME=value"),
        ("LOG_LEVEL", "line 1: write NAME=value"),
        (f"SECRETS_KEY='{SECRET}", "line 1: write NAME=value"),
        ("LOG_LEVEL=INFO\0", "line 1: write NAME=value"),
        ("\nexport LOG_LEVEL=INFO", "line 2: write NAME=value without `export`"),
        ("LOG_LEVEL=INFO # all\nMAX_POINTS=50", "line 1: write the comment into a line of its own"),
        ("MAX_POINTS=50\nREDIS_URL=\t# none", "line 2: write the comment into a line of its own"),
        (f"OIDC_CLIENT_SECRET='{SECRET}' # id", "line 1: write the comment into a line of its own"),
        (f'OIDC_CLIENT_SECRET="{SECRET}"# id', "line 1: write the comment into a line of its own"),
    ],
)
def test_a_mistake_names_the_file_the_line_and_what_is_meant(
    file: Path, content: str, expected: str
) -> None:
    file.write_text(content)
    with pytest.raises(SettingsFileError) as caught:
        read_settings_file(file)
    assert str(caught.value).startswith(f"{file}, {expected}")
    assert SECRET not in str(caught.value)


def test_a_new_value_keeps_the_rest_of_the_file_its_owner_and_mode(file: Path) -> None:
    file.write_text("# ours\nDATABASE_URL=sqlite:////x.db\nLOG_LEVEL=INFO\n")
    file.chmod(0o640)
    replace_value(file, "DATABASE_URL", "postgresql://u@/f?host=/run/postgresql&x=1")
    assert file.read_text() == (
        "# ours\nLOG_LEVEL=INFO\nDATABASE_URL='postgresql://u@/f?host=/run/postgresql&x=1'\n"
    )
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_is_not_text_is_named(file: Path) -> None:
    file.write_bytes(b"LOG_LEVEL=\xff")
    with pytest.raises(SettingsFileError, match="byte 11 is not UTF-8"):
        read_settings_file(file)


# In double quotes, systemd and the parser take a backslash before a quote or a backslash away.
@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("plain", "plain"),
        ("two words", "'two words'"),
        ("a#b;c$d", "'a#b;c$d'"),
        ("it's", '"it\'s"'),
        ('say "x"', '"say \\"x\\""'),
        ("back\\slash\\n", '"back\\\\slash\\\\n"'),
    ],
)
def test_a_value_is_written_so_that_systemd_reads_the_same(
    file: Path, value: str, line: str
) -> None:
    file.write_text("")
    replace_value(file, "OIDC_CLIENT_SECRET", value)
    assert file.read_text().strip() == f"OIDC_CLIENT_SECRET={line}"
    assert read_settings_file(file) == {"OIDC_CLIENT_SECRET": value}


def test_moved_settings_keep_what_belongs_to_this_machine(
    file: Path,
) -> None:
    file.write_text("DATABASE_URL=sqlite:////here.db\nLOG_LEVEL=DEBUG\nTZ=UTC\n")
    other = "# why\nMAX_POINTS=50\n\nDATABASE_URL=sqlite:////there.db\nNO_PROXY=x\n"
    moved = move_settings(file, other, "the other")
    assert moved.content == "# why\nMAX_POINTS=50\nDATABASE_URL=sqlite:////here.db\nTZ=UTC\n"
    assert moved.dropped == ["DATABASE_URL", "NO_PROXY"]
    assert file.read_text().startswith("DATABASE_URL")


def test_a_file_is_back_with_its_mode_if_what_follows_fails(file: Path, tmp_path: Path) -> None:
    file.write_text("LOG_LEVEL=INFO\n")
    file.chmod(0o640)
    before = tmp_path / "before"
    with pytest.raises(KeyError), replace_or_restore(file, "LOG_LEVEL=DEBUG\n", before):  # noqa: PT012
        assert file.read_text() == "LOG_LEVEL=DEBUG\n"
        assert before.read_text() == "LOG_LEVEL=INFO\n"
        assert {path.stat().st_mode & 0o777 for path in (file, before)} == {0o640}
        raise KeyError
    assert file.read_text() == "LOG_LEVEL=INFO\n"
    assert [*tmp_path.iterdir()] == [file]


def test_a_link_in_the_place_of_the_file_is_not_followed(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("LOG_LEVEL=INFO\n")
    file.symlink_to(target)
    with (
        pytest.raises(OSError, match="symbolic"),
        replace_or_restore(file, "x", tmp_path / "before"),
    ):
        pass
    assert target.read_text() == "LOG_LEVEL=INFO\n"
