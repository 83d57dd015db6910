"""The command-line programs of PostgreSQL, such as ``pg_dump``."""

import os
import signal
import subprocess
from typing import BinaryIO

from sqlalchemy import URL


class ProgramError(Exception):
    """A program is not installed, failed or timed out; the message is one line."""


def libpq_environment(url: URL) -> dict[str, str]:
    """Return an environment in which PostgreSQL's programs use the database at ``url``.

    A command line would show the password to all users of the machine.
    """
    parameters = {
        "PGHOST": url.host,
        "PGPORT": str(url.port) if url.port else None,
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        **{f"PG{name.upper()}": str(value) for name, value in url.query.items()},
    }
    return os.environ | {name: value for name, value in parameters.items() if value}


def run_program(
    command: list[str],
    environ: dict[str, str],
    stdin: BinaryIO | None = None,
    timeout_seconds: float | None = None,
) -> str:
    """Run one of PostgreSQL's programs; return its output.

    Raise ProgramError if the program is not installed, fails, or times out.
    """
    try:
        process = subprocess.Popen(
            command,
            env=environ,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # `runuser` starts the program in a child process
        )
    except FileNotFoundError:
        problem = f"{command[0]} is not installed (Debian: apt-get install postgresql-client)"
        raise ProgramError(problem) from None
    try:
        stdout, stderr = process.communicate(timeout=timeout_seconds)
    except subprocess.TimeoutExpired:
        problem = f"{command[0]} did not end within {timeout_seconds:,.0f} s"
        raise ProgramError(problem) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        raise ProgramError(f"{command[0]} failed: {last_line(stderr)}")
    return stdout


def last_line(stderr: str) -> str:
    """Return the last line that a program printed, which is its error message."""
    return (stderr.strip().splitlines() or ["no reason given"])[-1]
