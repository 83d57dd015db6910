"""The settings file of a machine, ``/etc/forecast-service/environment``: lines ``NAME=value``.

systemd reads it for the units, and the command for itself.
"""

import difflib
import io
import os
import re
from pathlib import Path

from dotenv.parser import parse_stream

from app.core.files import replace_file
from app.core.settings import SETTINGS

# What the libraries read: certificates, proxies, PostgreSQL's client, threads, locale.
LIBRARY_VARIABLES = re.compile(
    r"(SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY|PG[A-Z]+|[A-Z]+_NUM_THREADS|MALLOC_[A-Z_]+"
    r"|GUNICORN_CMD_ARGS|PROMETHEUS_MULTIPROC_DIR|PYTHON[A-Z]+|TZ|LANG|LC_[A-Z]+|TMPDIR)",
    re.IGNORECASE,
)


# As of a shell: the parser accepts both, systemd reads another name and another value.
EXPORT = re.compile(r"\s*export\s+[^\s=]")
TRAILING_COMMENT = re.compile(
    r"""[^=]*=[ \t]*(?:'(?:\\'|[^'])*'[ \t]*|"(?:\\"|[^"])*"[ \t]*|(?:[^'"\s][^\n]*)?[ \t])#"""
)


class SettingsFileError(ValueError):
    """The file has a mistake; the message names the file, the line and what to write instead."""


def read_settings_file(path: str | Path) -> dict[str, str]:
    """Return the values in the file at ``path`` by name, each checked.

    Raises:
        SettingsFileError: A line cannot be read, or names no setting, or has an invalid value.
        OSError: The file cannot be read.
    """
    try:
        content = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsFileError(f"{path}: byte {error.start + 1} is not UTF-8") from None
    values: dict[str, str] = {}
    for found in parse_stream(io.StringIO(content)):
        mistake = _shell_syntax(found.original.string) if found.key else None
        if mistake := mistake or _problem(found.key, found.value, is_broken=found.error):
            # The parser counts a line's blank lines before it to it.
            blank = len(found.original.string) - len(found.original.string.lstrip())
            line = found.original.line + found.original.string[:blank].count("\n")
            raise SettingsFileError(f"{path}, line {line}: {mistake}")
        if found.key and found.value is not None:
            values[found.key] = found.value
    return values


def replace_value(path: Path, name: str, value: str) -> None:
    """Set ``name`` in the file at ``path`` atomically, and keep its owner and mode.

    Raises:
        OSError: The file is a link, or cannot be read or written.
    """
    # One descriptor for content, owner and mode: they are of one file, whatever is put at the path.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, encoding="utf-8") as file:
        before = os.fstat(descriptor)
        lines = [one for one in file.read().splitlines() if not one.startswith(f"{name}=")]
    quote = "'" * bool(re.search(r"[\s$&;#]", value))
    content = "\n".join([*lines, f"{name}={quote}{value}{quote}\n"])

    def set_owner(new: int) -> None:
        os.fchown(new, before.st_uid, before.st_gid)

    replace_file(path, content, before.st_mode & 0o777, set_owner)


def _shell_syntax(assignment: str) -> str | None:
    """Return what a shell reads in another way than systemd."""
    if EXPORT.match(assignment):
        return "write NAME=value without `export`, which systemd does not know"
    if TRAILING_COMMENT.match(assignment):
        return (
            "write the comment into a line of its own, as systemd reads it as part of the value; "
            "put single quotes around a value that has ` #`"
        )
    return None


def _problem(name: str | None, value: str | None, *, is_broken: bool) -> str | None:
    """Return what is wrong with a line, never its value, which may be a secret."""
    if is_broken or (name and value is None) or "\0" in f"{name}{value}":
        return "write NAME=value, with single quotes around a value that has spaces"
    if not name:
        return None
    setting = {one.name: one for one in SETTINGS.values()}.get(name)
    if setting is None:
        return (
            None
            if LIBRARY_VARIABLES.fullmatch(name)
            else f"{name} is not a setting; {_suggestion(name)}"
        )
    try:
        setting.read(value or setting.default)
    except ValueError as error:
        return f"{name}: {error}"
    return None


def _suggestion(name: str) -> str:
    names = [setting.name for setting in SETTINGS.values()]
    near = difflib.get_close_matches(name.upper(), names, n=1)
    return f"write {near[0]}" if near else "docs/running/settings.md lists all of them"
