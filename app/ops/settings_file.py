"""The settings file of a machine, ``/etc/forecast-service/environment``: lines ``NAME=value``.

systemd reads it for the units, and the command for itself.
"""

import contextlib
import difflib
import io
import os
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

from dotenv.parser import parse_stream

from app.core.environment import load_settings
from app.core.files import replace_file
from app.core.settings import SETTINGS

_SETTINGS_BY_NAME = {setting.name: setting for setting in SETTINGS.values()}
# Variables that libraries read: certificates, proxies, PostgreSQL's client, threads, locale.
_LIBRARY_VARIABLES = re.compile(
    r"(SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY|PG[A-Z]+|[A-Z]+_NUM_THREADS|MALLOC_[A-Z_]+"
    r"|GUNICORN_CMD_ARGS|PROMETHEUS_MULTIPROC_DIR|PYTHON[A-Z]+|TZ|LANG|LC_[A-Z]+|TMPDIR)",
    re.IGNORECASE,
)
# Shell syntax, which the parser accepts, but systemd reads as another name or value.
_EXPORT = re.compile(r"\s*export\s+[^\s=]")
_TRAILING_COMMENT = re.compile(
    r"""[^=]*=[ \t]*(?:'(?:\\'|[^'])*'[ \t]*|"(?:\\"|[^"])*"[ \t]*|(?:[^'"\s][^\n]*)?[ \t])#"""
)


class SettingsFileError(ValueError):
    """The file has an error; the message names the file, the line and what to write instead."""


def read_settings_file(path: str | Path) -> dict[str, str]:
    """Return the validated values in the file at ``path`` by name.

    Raise SettingsFileError, or OSError if the file cannot be read.
    """
    try:
        content = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsFileError(f"{path}: byte {error.start + 1} is not UTF-8") from None
    return parse_settings(content, path)


def parse_settings(content: str, path: str | Path) -> dict[str, str]:
    """Return the values in a file's content, as `read_settings_file`; messages call it ``path``."""
    values: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(content)):
        problem = _shell_syntax_problem(binding.original.string) if binding.key else None
        if problem := problem or _line_problem(binding.key, binding.value, is_broken=binding.error):
            # The parser includes the blank lines before a line.
            blank = len(binding.original.string) - len(binding.original.string.lstrip())
            line = binding.original.line + binding.original.string[:blank].count("\n")
            raise SettingsFileError(f"{path}, line {line}: {problem}")
        if binding.key and binding.value is not None:
            values[binding.key] = binding.value
    return values


def replace_value(path: Path, name: str, value: str) -> None:
    """Set ``name`` in the file at ``path`` atomically, keeping its owner and mode.

    Raise OSError if the file is a link, or cannot be read or written.
    """

    def set_value(content: str) -> str:
        lines = [line for line in content.splitlines() if not line.startswith(f"{name}=")]
        return "\n".join([*lines, f"{_assignment(name, value)}\n"])

    _rewrite(path, set_value)


@dataclass(frozen=True)
class SettingsMove:
    """The settings file of another machine, adapted to this one; ``dropped`` are names left out."""

    content: str
    values: dict[str, str]
    dropped: list[str]


def move_settings(path: Path, imported: str, name: str) -> SettingsMove:
    """Combine the settings of another machine with those that belong to this one.

    DATABASE_URL and the variables of libraries, such as proxies, are taken from the file at
    ``path``. The imported content is untrusted: a variable of a library could make Python load
    other code, and a line that systemd and the parser read differently could hide one. So every
    line is written again.

    Args:
        path: This machine's settings file.
        imported: The content of the other machine's file.

    Raise SettingsFileError, SettingError, or OSError if the file at ``path`` cannot be read.
    """
    names = _SETTINGS_BY_NAME.keys() - {"DATABASE_URL"}
    values = parse_settings(imported, name)
    if unprintable := next((key for key in values if not values[key].isprintable()), None):
        raise SettingsFileError(f"{name}: {unprintable} has a character that cannot be printed")
    kept = {key: value for key, value in read_settings_file(path).items() if key not in names}
    lines = [*_setting_lines(imported, names), *starmap(_assignment, kept.items())]
    content = "".join(f"{line}\n" for line in lines)
    settings = parse_settings(content, path)
    load_settings(settings)
    return SettingsMove(content, settings, sorted(values.keys() - names))


def _setting_lines(content: str, names: Set[str]) -> Iterator[str]:
    """Yield the settings in ``names``, and the comments that systemd cannot read differently."""
    for binding in parse_stream(io.StringIO(content)):
        comment = binding.original.string.strip()
        if binding.key and binding.key in names:
            yield _assignment(binding.key, binding.value or "")
        elif comment.startswith("#") and comment.isprintable() and not comment.endswith("\\"):
            yield comment


@contextlib.contextmanager
def replace_or_restore(path: Path, content: str, backup: Path) -> Iterator[None]:
    """Replace the file at ``path``, keeping its owner and mode; restore it if the block fails.

    The previous file is kept at ``backup``. Raise OSError if the file is a link, or its folder
    cannot be written.
    """
    _rewrite(path, lambda present: present, backup)
    try:
        _rewrite(path, lambda _present: content)
        yield
    except BaseException:
        backup.replace(path)
        raise


def _rewrite(path: Path, change: Callable[[str], str], target: Path | None = None) -> None:
    """Write the changed content of ``path`` to ``target``, by default itself, with its owner."""
    # One descriptor for content, owner and mode, in case another file is put at the path.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, encoding="utf-8") as file:
        before = os.fstat(descriptor)
        content = change(file.read())

    def set_owner(new: int) -> None:
        os.fchown(new, before.st_uid, before.st_gid)

    replace_file(target or path, content, before.st_mode & 0o777, set_owner)


def _assignment(name: str, value: str) -> str:
    """Return a line that systemd and the parser read alike."""
    if re.search(r"[\\'\"]", value):
        escaped = re.sub(r'([\\"])', r"\\\1", value)
        return f'{name}="{escaped}"'
    quote = "'" * bool(re.search(r"[\s$&;#]", value))
    return f"{name}={quote}{value}{quote}"


def _shell_syntax_problem(assignment: str) -> str | None:
    """Return the problem of a line that a shell reads differently from systemd."""
    if _EXPORT.match(assignment):
        return "write NAME=value without `export`, which systemd does not know"
    if _TRAILING_COMMENT.match(assignment):
        return (
            "write the comment into a line of its own, as systemd reads it as part of the value; "
            "put single quotes around a value that has ` #`"
        )
    return None


def _line_problem(name: str | None, value: str | None, *, is_broken: bool) -> str | None:
    """Return the problem of a line, without its value, which may be a secret."""
    if is_broken or (name and value is None) or "\0" in f"{name}{value}":
        return "write NAME=value, with single quotes around a value that has spaces"
    if not name:
        return None
    setting = _SETTINGS_BY_NAME.get(name)
    if setting is None:
        is_known = _LIBRARY_VARIABLES.fullmatch(name)
        return None if is_known else f"{name} is not a setting; {_suggestion(name)}"
    try:
        setting.parse(value or setting.default)
    except ValueError as error:
        return f"{name}: {error}"
    return None


def _suggestion(name: str) -> str:
    matches = difflib.get_close_matches(name.upper(), _SETTINGS_BY_NAME, n=1)
    return f"write {matches[0]}" if matches else "docs/running/settings.md lists all of them"
