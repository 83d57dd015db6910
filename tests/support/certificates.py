"""Self-signed certificates, and a certificate authority with an OCSP responder."""

import base64
import contextlib
import http.server
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from tests.support.programs import find_binary

_ELLIPTIC = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")  # generated quickly
RSA = ("rsa:2048",)

CONFIGURATION = """
[ca]
default_ca = authority
[authority]
database = {folder}/index.txt
new_certs_dir = {folder}
certificate = {folder}/authority.pem
private_key = {folder}/authority-key.pem
rand_serial = yes
default_md = sha256
default_days = 2
policy = any
[any]
commonName = supplied
"""


class Authority:
    """An authority whose files are in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.certificate = folder / "authority.pem"
        (folder / "index.txt").touch()
        (folder / "authority.cnf").write_text(CONFIGURATION.format(folder=folder))
        self._run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=Authority of the tests", "-keyout", self._folder / "authority-key.pem",
            "-out", self.certificate,
        )  # fmt: skip

    def _run(self, *words: str | Path) -> None:
        subprocess.run([find_binary("openssl"), *map(str, words)], check=True, capture_output=True)

    def issue(self, name: str, ocsp: str) -> tuple[Path, Path]:
        """Issue a certificate for localhost that names a responder; return it and its key."""
        base = self._folder / name
        request, extensions = base.with_suffix(".csr"), base.with_suffix(".ext")
        certificate, key = base.with_suffix(".pem"), base.with_suffix(".key")
        extensions.write_text(f"authorityInfoAccess = OCSP;URI:{ocsp}\n")
        subject = ("-subj", "/CN=localhost", "-keyout", key, "-out", request)
        self._run("req", "-newkey", "rsa:2048", "-nodes", *subject)
        options = ("-batch", "-notext", "-config", self._folder / "authority.cnf")
        self._run("ca", *options, "-in", request, "-out", certificate, "-extfile", extensions)
        return certificate, key

    def respond(self, request: bytes) -> bytes:
        """Return the OCSP response to a request."""
        request_file, response = self._folder / "ocsp-request", self._folder / "ocsp-response"
        request_file.write_bytes(request)
        signer = ("-rsigner", self.certificate, "-rkey", self._folder / "authority-key.pem")
        index = ("-index", self._folder / "index.txt", "-CA", self.certificate, "-nmin", "60")
        self._run("ocsp", *index, *signer, "-reqin", request_file, "-respout", response)
        return response.read_bytes()

    @contextlib.contextmanager
    def responder(self) -> Iterator[str]:
        """Run an OCSP responder within a block; yield its URL."""
        authority = self

        class Responder(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                response = authority.respond(base64.b64decode(unquote(self.path[1:])))
                self.send_response(200)
                self.send_header("Content-Type", "application/ocsp-response")
                self.end_headers()
                self.wfile.write(response)

            def log_message(self, *_words: object) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Responder) as server:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()


def make_certificate(
    folder: Path,
    host: str = "localhost",
    *,
    name: str = "site",
    algorithm: tuple[str, ...] = _ELLIPTIC,
) -> tuple[Path, Path]:
    """Make a self-signed certificate for ``host``; return the paths of it and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    command = [find_binary("openssl"), "req", "-x509", "-newkey", *algorithm, "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
