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

from app.core.files import replace_file
from app.core.settings import SETTINGS, load_settings

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
    return parse_settings(content, path)


def parse_settings(content: str, path: str | Path) -> dict[str, str]:
    """Return the values in the content of a file, which messages call ``path``, as above.

    Raises:
        SettingsFileError: As of `read_settings_file`.
    """
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

    def change(content: str) -> str:
        lines = [one for one in content.splitlines() if not one.startswith(f"{name}=")]
        return "\n".join([*lines, f"{_assignment(name, value)}\n"])

    _change(path, change)


@dataclass(frozen=True)
class MovedSettings:
    """The settings of another machine, as this one has them.

    Attributes:
        content: The content of the settings file.
        values: The values in it by name.
        left_out: The names of what the other machine had and this one does not take.
    """

    content: str
    values: dict[str, str]
    left_out: list[str]


def move_settings(path: Path, brought: str, name: str) -> MovedSettings:
    """Return the settings of another machine with what belongs to this one.

    DATABASE_URL and the variables of libraries, such as proxies, are those of the file at ``path``.
    What is brought is untrusted: a variable of a library could make Python load other code, and a
    line that systemd and the parser read differently could hide one. So each is written anew.

    Args:
        path: This machine's settings file.
        brought: The content of the other's.
        name: What messages call that.

    Raises:
        SettingsFileError: One of them has a mistake.
        SettingError: The settings do not fit each other.
        OSError: The file at ``path`` cannot be read.
    """
    moved = {one.name for one in SETTINGS.values()} - {"DATABASE_URL"}
    values = parse_settings(brought, name)
    if unprintable := next((key for key in values if not values[key].isprintable()), None):
        raise SettingsFileError(f"{name}: {unprintable} has a character that cannot be printed")
    own = {key: value for key, value in read_settings_file(path).items() if key not in moved}
    lines = [*_lines_of(brought, moved), *starmap(_assignment, own.items())]
    content = "".join(f"{line}\n" for line in lines)
    kept = parse_settings(content, path)
    load_settings(kept)
    return MovedSettings(content, kept, sorted(values.keys() - moved))


def _lines_of(content: str, names: Set[str]) -> Iterator[str]:
    """Return the settings called ``names``, and the comments that systemd ends where they end."""
    for found in parse_stream(io.StringIO(content)):
        comment = found.original.string.strip()
        if found.key and found.key in names:
            yield _assignment(found.key, found.value or "")
        elif comment.startswith("#") and comment.isprintable() and not comment.endswith("\\"):
            yield comment


@contextlib.contextmanager
def replace_or_restore(path: Path, content: str, before: Path) -> Iterator[None]:
    """Replace the file at ``path``, whose owner and mode stay; it is back if the block fails.

    Args:
        path: The file.
        content: Its new content.
        before: Where the file before is kept.

    Raises:
        OSError: The file is a link, or its folder cannot be written.
    """
    _change(path, lambda present: present, before)
    try:
        _change(path, lambda _present: content)
        yield
    except BaseException:
        before.replace(path)
        raise


def _change(path: Path, change: Callable[[str], str], target: Path | None = None) -> None:
    """Write the changed content of ``path`` to ``target``, by default itself, with its owner."""
    # One descriptor for content, owner and mode: they are of one file, whatever is put at the path.
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
