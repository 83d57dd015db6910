"""Self-signed certificates: who trusts one trusts the server that has it."""

import subprocess
from pathlib import Path

from tests.support.programs import find_binary

_ELLIPTIC = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")  # made in no time
RSA = ("rsa:2048",)


def make_certificate(
    folder: Path,
    host: str = "localhost",
    *,
    name: str = "site",
    algorithm: tuple[str, ...] = _ELLIPTIC,
) -> tuple[Path, Path]:
    """Make a certificate for ``host``; return its path and its key's."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    command = [find_binary("openssl"), "req", "-x509", "-newkey", *algorithm, "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
