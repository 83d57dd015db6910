"""`backups create --everything` and its restore: one file moves a machine, and is not trusted."""

import errno
import io
import os
import sqlite3
import stat
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import make_url, select

from app import create_app
from app.core.database import db
from app.ops.database import archive as archives
from app.ops.database.archive import MAX_SETTINGS_BYTES, is_archive, unpack_archive
from app.ops.database.restore import RestoreError
from app.ops.settings_file import read_settings_file
from app.watching.models.sources import SourceRow
from app.watching.sources.credentials_cipher import decrypt
from app.watching.sources.source_records import Authorization, SourceSettings
from tests.support import preloaded_programs
from tests.support.cli import restore_as_this_user, run, run_failing, run_json
from tests.support.databases import ON_SQLITE, normalized_url
from tests.support.keys import ACTOR, new_key, verify
from tests.support.operator_host import WORKER_STOPPED, put_systemctl
from tests.support.programs import output_of
from tests.support.watching import put_source

TOKEN = Authorization("bearer", "token")
STOP = "stop forecast-service.socket forecast-service.service"
START = "start forecast-service.socket forecast-service.service"
SETTINGS = ("environment", b"LOG_LEVEL=INFO\n")
DATABASE = ("database.db", b"SQLite format 3\0" + b"x" * 5_000)


class PretendedMachine:
    """A database, an application on it, a settings file, and units that run."""

    def __init__(self, folder: Path, url: str, settings: str, key: str) -> None:
        folder.mkdir()
        self.url, self.folder = url, folder
        self.settings = folder / "environment"
        self.settings.write_text(f"DATABASE_URL={url}\nSECRETS_KEY={key}\n{settings}")
        self.settings.chmod(0o640)
        self.app = create_app(database_url=url, secrets_key=(key,))
        self.created = ""

    def enter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let commands run on this machine."""
        with self.app.app_context():
            db.engine.dispose()
        monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", str(self.settings))
        for name, value in read_settings_file(self.settings).items():
            monkeypatch.setenv(name, value)


@pytest.fixture
def keys() -> list[str]:
    return [Fernet.generate_key().decode() for _ in range(2)]


@pytest.fixture
def calls(tmp_path, monkeypatch) -> Path:
    """What systemd was asked for; the worker does not run."""
    return put_systemctl(tmp_path, monkeypatch, WORKER_STOPPED)


@pytest.fixture(autouse=True)
def commands_of_a_loaded_process(monkeypatch) -> None:
    """A restore migrates by commands that are forks of a process with the libraries."""
    runner = SimpleNamespace(run=preloaded_programs.run)
    monkeypatch.setattr("app.ops.cli.restore.subprocess", runner)


@pytest.fixture(autouse=True)
def as_this_user(monkeypatch) -> None:
    restore_as_this_user(monkeypatch)


@pytest.fixture
def old_machine(databases, tmp_path, keys) -> PretendedMachine:
    """The machine that is left: it has a key, and a source with credentials."""
    settings = "# ours\nMAX_POINTS=777\nHTTPS_PROXY=http://proxy.old:3128\n"
    machine = PretendedMachine(tmp_path / "old", databases.migrated(), settings, keys[0])
    machine.created = new_key(machine.url)
    with machine.app.app_context():
        put_source(ACTOR, 1, "prod", SourceSettings("https://p.example.com", TOKEN, None, []))
    return machine


@pytest.fixture
def new_machine(databases, tmp_path, keys) -> PretendedMachine:
    """The machine that takes its place, as a package and a setup leave it."""
    settings = "NO_PROXY=localhost\nMAX_BODY_BYTES=2048\n"
    return PretendedMachine(tmp_path / "new", databases.migrated(), settings, keys[1])


@pytest.fixture
def archive(old_machine, monkeypatch) -> Path:
    """The file from the old machine."""
    old_machine.enter(monkeypatch)
    file = old_machine.folder / "everything.tar"
    message = run(old_machine.app, "backups", "create", "--everything", str(file))
    assert f"to {file} (" in message
    return file


def test_a_machine_is_moved_with_its_keys_settings_and_secrets(
    old_machine, new_machine, archive, keys, monkeypatch, calls
) -> None:
    new_machine.enter(monkeypatch)
    message = run(new_machine.app, "backups", "restore", str(archive))
    assert (
        f"{new_machine.settings} has the settings of the other machine, except DATABASE_URL, "
        in message
    )
    values = read_settings_file(new_machine.settings)
    assert values | {"DATABASE_URL": ""} == {
        "DATABASE_URL": "",
        "SECRETS_KEY": keys[0],
        "MAX_POINTS": "777",
        "NO_PROXY": "localhost",
    }
    is_sqlite = new_machine.url.startswith("sqlite")
    assert (values["DATABASE_URL"] == new_machine.url) == is_sqlite
    assert "# ours\n" in new_machine.settings.read_text()
    assert stat.S_IMODE(new_machine.settings.stat().st_mode) == 0o640
    (before,) = new_machine.folder.glob("environment.before-*Z")
    assert read_settings_file(before)["SECRETS_KEY"] == keys[1]
    assert stat.S_IMODE(before.stat().st_mode) == 0o640
    moved = create_app(database_url=normalized_url(values["DATABASE_URL"]))
    assert verify(moved.test_client(), old_machine.created).status_code == 200
    with moved.app_context(), db.engine.connect() as connection:
        (sealed,) = connection.scalars(select(SourceRow.credentials))
        assert decrypt(sealed, [keys[0]]) == TOKEN
    with moved.app_context():
        db.engine.dispose()
    changes = [line for line in calls.read_text().splitlines() if "is-active" not in line]
    units = "forecast-service.service forecast-service-worker.service"
    assert changes == ([STOP, START] if is_sqlite else [f"restart {units}"])


@ON_SQLITE
def test_the_file_is_only_for_its_owner_and_a_plain_tar(old_machine, archive) -> None:
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert output_of(["tar", "-tf", archive]).split() == ["environment", "database.db"]
    assert [path.name for path in old_machine.folder.iterdir() if "everything" in path.name] == [
        "everything.tar"
    ]


@ON_SQLITE
def test_a_file_that_exists_is_not_written_over(old_machine, archive) -> None:
    before = archive.read_bytes()
    line = run_failing(old_machine.app, "backups", "create", "--everything", str(archive))
    assert f"{archive} exists; name a new file" in line
    assert archive.read_bytes() == before


@ON_SQLITE
def test_a_copy_that_fails_leaves_no_file(old_machine, monkeypatch, tmp_path) -> None:
    old_machine.enter(monkeypatch)
    broken = create_app(database_url=f"sqlite:///{tmp_path}/nothing.db")
    file = tmp_path / "everything.tar"
    assert "no copy was made" in run_failing(broken, "backups", "create", "--everything", str(file))
    assert [*tmp_path.glob("everything*")] == []


@ON_SQLITE
def test_without_a_settings_file_there_is_nothing_to_move(
    old_machine, monkeypatch, tmp_path
) -> None:
    monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", "/nowhere")
    line = run_failing(
        old_machine.app, "backups", "create", "--everything", str(tmp_path / "x.tar")
    )
    assert "no settings file /nowhere" in line


@pytest.mark.parametrize(
    "words", [[], ["folder", "--everything", "x"], ["--keep", "1", "--everything", "x"]]
)
def test_a_folder_and_everything_are_not_mixed(app, words) -> None:
    line = run_failing(app, "backups", "create", *words)
    assert "give FOLDER, perhaps with --keep, or only --everything FILE" in line


def tar_of(*members: tuple[str, bytes], change=lambda _header: None) -> bytes:
    """Return an archive of these members, whose headers a test may change."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in members:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            change(header)
            tar.addfile(header, io.BytesIO(content))
    return file.getvalue()


def make_link(header) -> None:
    if header.name == "environment":
        header.type, header.linkname, header.size = tarfile.SYMTYPE, "/etc/passwd", 0


def sparse(header) -> None:
    header.type = tarfile.GNUTYPE_SPARSE


def archive_of_negative_size() -> bytes:
    content = bytearray(tar_of(SETTINGS, DATABASE))
    content[124:136] = b"\xff" * 12  # -1
    content[148:156] = b" " * 8
    content[148:156] = b"%06o\0 " % sum(content[:512])
    return bytes(content)


def archive_with_long_name() -> bytes:
    """Return an archive with a member name in a GNU long-name header, of any length."""
    return tar_of(("x" * 200_000, b""), SETTINGS, DATABASE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tar_of(("../../etc/cron.d/x", b"x"), DATABASE), "not as `backups create --everything`"),
        (tar_of(SETTINGS, ("/etc/cron.d/x", b"x")), "not as `backups create --everything`"),
        (tar_of(SETTINGS, DATABASE, ("more", b"x")), "not as `backups create --everything`"),
        (tar_of(SETTINGS, DATABASE, DATABASE), "not as `backups create --everything`"),
        (tar_of(SETTINGS), "not as `backups create --everything`"),
        (tar_of(DATABASE, SETTINGS), "not as `backups create --everything`"),
        (tar_of(SETTINGS, DATABASE, change=make_link), "not as `backups create --everything`"),
        (tar_of(SETTINGS, DATABASE, change=sparse), "not as `backups create --everything`"),
        (archive_with_long_name(), "not as `backups create --everything`"),
        (archive_of_negative_size(), "is cut off"),
        (tar_of(SETTINGS, DATABASE)[:2000], "is cut off"),
        (tar_of(SETTINGS, DATABASE)[:600], "not as `backups create --everything`"),
        (tar_of(("environment", b"#" * (MAX_SETTINGS_BYTES + 1)), DATABASE), "are too long"),
        (tar_of(("environment", b"A=" + b" " * 5_000), DATABASE), "are too long"),
        (tar_of(("environment", b"LOG_LEVEL=\xff"), DATABASE), "can't decode byte 0xff"),
    ],
    ids=[
        "a name outside", "another name", "a member more", "two databases", "no database",
        "another order", "a link", "a sparse file", "an extension", "a negative size", "cut",
        "cut early", "long settings", "a long line", "not UTF-8",
    ],
)  # fmt: skip
def test_a_file_with_anything_else_in_it_is_rejected_before_it_is_unpacked(
    tmp_path, monkeypatch, content, message
) -> None:
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    monkeypatch.setattr(archives, "UNPACK_FOLDER", unpacked)
    file = tmp_path / "everything.tar"
    file.write_bytes(content)
    with file.open("rb") as opened:
        assert is_archive(opened, file)
        with pytest.raises(RestoreError, match=message):
            unpack_archive(opened, file)
    assert [*unpacked.iterdir()] == []


def test_a_copy_for_which_the_disk_has_no_room_is_not_unpacked(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "DISK_PER_COPY", 10**15)
    file = tmp_path / "everything.tar"
    file.write_bytes(tar_of(SETTINGS, DATABASE))
    with file.open("rb") as opened, pytest.raises(RestoreError, match="free space on it"):
        unpack_archive(opened, file)


def test_a_disk_that_becomes_full_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "UNPACK_FOLDER", tmp_path)
    file = tmp_path / "everything.tar"
    file.write_bytes(tar_of(SETTINGS, DATABASE))
    with file.open("rb") as opened, Path("/dev/full").open("wb") as full:
        monkeypatch.setattr(archives.tempfile, "TemporaryFile", lambda dir: full)
        with pytest.raises(RestoreError, match=f"unpacked to {tmp_path}: .*No space left.*; free "):
            unpack_archive(opened, file)


@pytest.mark.parametrize(
    ("offset", "read"),
    [(0, is_archive), *((offset, unpack_archive) for offset in (0, 512, 1024, 2048, 2560))],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, offset, read) -> None:
    file = tmp_path / "everything.tar"
    file.write_bytes(tar_of(SETTINGS, DATABASE))

    class BadDisk(io.FileIO):
        def read(self, size: int = -1) -> bytes:
            if self.tell() + size > offset:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    with BadDisk(file) as opened, pytest.raises(RestoreError) as caught:
        read(opened, file)
    assert str(caught.value) == f"{file} cannot be read: Input/output error"


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" * 99, b"PGDMP" * 99, b"x"])
def test_another_file_is_not_taken_for_an_archive(tmp_path, content) -> None:
    file = tmp_path / "copy"
    file.write_bytes(content)
    with file.open("rb") as opened:
        assert not is_archive(opened, file)
        assert opened.tell() == 0


def replace_settings(everything: Path, settings: bytes) -> None:
    """Put other settings into the file."""
    with tarfile.open(everything) as tar:
        database = tar.extractfile("database.db").read()
    everything.write_bytes(tar_of(("environment", settings), ("database.db", database)))


@ON_SQLITE
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (b"COLOUR=red", "line 1: COLOUR is not a setting"),
        (b"MAX_POINTS=many", "line 1: MAX_POINTS: set a whole number"),
        (b"OIDC_CLIENT_ID=me", "OIDC_CLIENT_ID: set all of"),
        (b"OIDC_CLIENT_ID='a\nPYTHONPATH=/tmp'", "OIDC_CLIENT_ID has a character"),
    ],
)
def test_settings_with_a_mistake_change_nothing(
    new_machine, archive, monkeypatch, calls, settings, message
) -> None:
    replace_settings(archive, settings)
    new_machine.enter(monkeypatch)
    before = new_machine.settings.read_text()
    assert message in run_failing(new_machine.app, "backups", "restore", str(archive))
    assert new_machine.settings.read_text() == before
    assert [*new_machine.folder.glob("environment.*")] == []
    assert [row["name"] for row in run_json(new_machine.app, "accounts", "list")] == ["default"]
    assert "stop" not in calls.read_text()


@ON_SQLITE
def test_no_variable_of_a_library_comes_from_the_file(
    new_machine, archive, keys, monkeypatch, calls
) -> None:
    """PYTHONPATH would be the code that root runs next."""
    lines = [f"SECRETS_KEY={keys[0]}", "PYTHONPATH=/tmp", "DATABASE_URL=sqlite:////tmp/x.db"]
    # systemd takes the line after a backslash for a part of the comment, the parser does not.
    lines += ["# c \\", "LOG_LEVEL=INFO", "OIDC_ISSUER=''"]
    replace_settings(archive, "\n".join(lines).encode())
    new_machine.enter(monkeypatch)
    message = run(new_machine.app, "backups", "restore", str(archive))
    assert "except DATABASE_URL, PYTHONPATH." in message
    assert new_machine.settings.read_text() == (
        f"SECRETS_KEY={keys[0]}\nLOG_LEVEL=INFO\nOIDC_ISSUER=\n"
        f"DATABASE_URL={new_machine.url}\nNO_PROXY=localhost\n"
    )


@ON_SQLITE
def test_secrets_that_the_key_in_the_file_does_not_decrypt_change_nothing(
    new_machine, archive, monkeypatch, calls
) -> None:
    replace_settings(archive, f"SECRETS_KEY={Fernet.generate_key().decode()}".encode())
    new_machine.enter(monkeypatch)
    before = new_machine.settings.read_text()
    line = run_failing(new_machine.app, "backups", "restore", str(archive))
    assert "no key of SECRETS_KEY decrypts" in line
    assert new_machine.settings.read_text() == before
    assert "stop" not in calls.read_text()


@ON_SQLITE
def test_settings_are_back_if_the_database_cannot_be_exchanged(
    new_machine, archive, monkeypatch, calls
) -> None:
    new_machine.enter(monkeypatch)
    before = new_machine.settings.read_text()
    with sqlite3.connect(make_url(new_machine.url).database) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM accounts").fetchone()
        assert "is in use" in run_failing(new_machine.app, "backups", "restore", str(archive))
    other.close()
    assert new_machine.settings.read_text() == before
    assert [*new_machine.folder.glob("environment.*")] == []
    assert [line for line in calls.read_text().splitlines() if "is-active" not in line] == [
        STOP,
        START,
    ]


@ON_SQLITE
def test_a_machine_without_settings_shows_what_to_do(new_machine, archive, monkeypatch) -> None:
    monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", "/nowhere")
    line = run_failing(new_machine.app, "backups", "restore", str(archive))
    assert "/nowhere does not exist or may be written by root only" in line


@pytest.mark.services
@ON_SQLITE
def test_a_copy_of_the_other_kind_of_database_says_what_to_change(
    new_machine, archive, monkeypatch, postgresql_databases
) -> None:
    new_machine.enter(monkeypatch)
    other = create_app(database_url=postgresql_databases.migrated())
    line = run_failing(other, "backups", "restore", str(archive))
    assert "has a copy from sqlite, and the database of this machine is postgresql" in line
    with other.app_context():
        db.engine.dispose()
