"""Render nginx's site: ``.venv/bin/python nginx/render.py --server-name … --certificate …``.

Prints a file for ``/etc/nginx/conf.d/``. Locations and messages are derived from the declared
endpoints, so it runs in the service's environment; the file can be copied to another machine.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from flask import Flask

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from app.api.blueprints import BLUEPRINTS
from app.api.dialects import DIALECTS
from app.api.endpoints.dialect import Dialect, dialect_endpoints, register_dialects
from app.api.endpoints.endpoint import CallCost, Endpoint, endpoints_of
from app.api.errors.statuses import ISSUES_BY_STATUS
from app.core.settings import SETTINGS

SOCKET = "unix:/run/forecast-service/gunicorn.sock"
# Longer than the service's own limit, so that the service responds first.
READ_MARGIN_SECONDS = 30
BATCH_MARGIN_SECONDS = 10
# The timeout for a node that hangs, if there are several. A single node gets as long as a forecast:
# while it restarts, requests wait at its socket, and there is no other node.
QUICK_READ_SECONDS = 10
# A node that has failed three times is skipped for this time, then tried by one request. It equals
# the timeout for a node that hangs, so that at most one request at a time waits for it.
NODE_OPTIONS = f"max_fails=3 fail_timeout={QUICK_READ_SECONDS}s"
# nginx cannot distinguish a refused connection from one that breaks: a single node, and all of them
# where none is left, are asked whatever happened.
LAST_NODE_OPTIONS = "max_fails=0"
# Not argparse's own defaults: it would add to those of repeated options, and show empty ones.
DEFAULTS: dict[str, object] = {
    "upstream": [SOCKET],
    "http": ["80"],
    "https": ["443"],
    "public_port": [],
    "dh_parameters": "",
    "ocsp": False,
    "chain": "",
}
# Headers that the service reads in every request. Those that nginx sets are in the template; those
# that only an endpoint reads are declared at its view.
HEADERS = (
    *("Authorization", "Content-Type", "Content-Encoding", "Accept", "Accept-Encoding"),
    *("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range"),
    *("Cookie", "Origin", "Sec-Fetch-Site", "User-Agent"),  # the dashboard
)
STATUS_TEXT = "'\"$status\"'"
GUARD = """\
        if ($forecast_rejection = 421) { return 421; }
        if (-f @MAINTENANCE_FILE@) { return 503; }
        if ($forecast_rejection = 400) { return 400; }
        if ($forecast_rejection = 414) { return 414; }
        if ($forecast_rejection = 431) { return 431; }"""
COMPUTES = """\
    location @PATH@ {
@GUARD@
@BODY_SIZE@        # Longer than the service takes, so that it responds first.
        proxy_read_timeout @CALL_TIMEOUT@s;
        # If all nodes are at their limit, nginx would return 502.
        error_page 400 408 413 414 421 429 431 500 503 504 /forecast-service-error;
        error_page 502 =503                            /forecast-service-error;
        proxy_pass http://forecast_engines;
    }"""
ASKS = """\
    location @PATH@ {
@GUARD@
        limit_req zone=forecast_requests burst=@REQUESTS_BURST@ nodelay;
        limit_req zone=forecast_verify burst=@VERIFY_BURST@ nodelay;
        proxy_read_timeout @QUICK_READ_TIMEOUT@s;
        proxy_pass http://forecast_service;
    }"""


class SiteTemplate(Template):
    """A template whose placeholders are ``@NAME@``; nginx's own variables start with ``$``."""

    delimiter = "@"
    pattern: ClassVar[Any] = r"""
    @(?:(?P<escaped>@@)|(?P<named>[A-Z_0-9]+)@|(?P<braced>(?!))|(?P<invalid>(?!)))
    """


def render(options: argparse.Namespace, endpoints: Collection[Endpoint]) -> str:
    """Return the site for ``options`` (from ``parse``) in front of ``endpoints``."""
    keys = [dialect.key_header for dialect in DIALECTS]
    declared = (name for one in endpoints for name in _headers_of(one))
    headers = dict.fromkeys([*HEADERS, *keys, *declared])
    names = dict.fromkeys(" ".join(options.server_name).split())
    values = {name.upper(): value for name, value in vars(options).items()} | {
        "SERVER_NAMES": " ".join(names),
        "OWN_NAMES": "\n".join(
            f'    "{_host_pattern(name)}" $forecast_rejected_method;' for name in names
        ),
        "OWN_PORTS": "\n".join(f'    "~:{port}$" ":{port}";' for port in _ports(options)),
        # Of several ports the first: a redirect names one, and none means 443.
        "PUBLIC_PORT": next((f":{port}" for port in _ports(options)), ""),
        "KEY_VALUES": "".join(map(_request_variable, dict.fromkeys(["Authorization", *keys]))),
        "NODES": len(options.upstream),
        "UPSTREAMS": _upstreams(options.upstream),
        "ENGINE_UPSTREAMS": _upstreams(options.upstream, options.forecasts_per_node),
        "QUICK_READ_TIMEOUT": (
            options.read_timeout
            if len(options.upstream) == 1
            else min(QUICK_READ_SECONDS, options.read_timeout)
        ),
        "HTTP_LISTEN": _listen(options.http, ""),
        "HTTPS_LISTEN": _listen(options.https, " ssl http2"),
        "TLS_OPTIONS": _tls_options(options),
        # A tenth of a minute's requests may arrive at the same time.
        "REQUESTS_BURST": max(1, options.requests_per_minute // 10),
        "VERIFY_BURST": max(1, options.verify_per_minute // 10),
        "ACCOUNT_BURST": max(1, options.account_per_minute // 10),
        **{f"ISSUE_{status}": issue for status, issue in ISSUES_BY_STATUS.items()},
        "CALLS": _endpoint_list("/", endpoints),
        "BATCH_ISSUES": "\n".join(_batch_issues(endpoints)),
        "ASKING_PATHS": "|".join(one.path_pattern for one in endpoints if _is_lookup(one)),
        "DIALECTS": "\n".join(
            rf'    "~*^\S+ /+{re.escape(one.prefix.strip("/"))}(?:[/? ]|$)" {one.name};'
            for one in DIALECTS
        ),
        "DIALECT_CALLS": "\n".join(
            f'    {one.name} "{_endpoint_list(one.prefix, endpoints)}";' for one in DIALECTS
        ),
        "DIALECT_CODES": "\n".join(
            f"    {one.name} {'$status' if one.has_number_codes else STATUS_TEXT};"
            for one in DIALECTS
        ),
        "DIALECT_DETAILS": "\n".join(f"    {one.name} {one.details_name};" for one in DIALECTS),
        "DIALECT_HEADS": "\n".join(f"    {one.name} '{_error_head(one)}';" for one in DIALECTS),
        "PASSED_VALUES": "\\n".join(map(_request_variable, headers)),
        "PASSED_HEADERS": "\n".join(
            f"    proxy_set_header {n} {_request_variable(n)};" for n in headers
        ),
    }
    values["GUARD"] = _fill(GUARD, values)
    values["LOCATIONS"] = "\n".join(
        _fill(template, values | _location_values(path, one, options.read_timeout))
        for path, (template, one) in _location_templates(endpoints).items()
    )
    responses = (FOLDER / "responses.conf.template").read_text()
    values["RESPONSES"] = _fill(responses, values).rstrip("\n")
    return _fill((FOLDER / "forecast-service.conf.template").read_text(), values)


def service_endpoints() -> Collection[Endpoint]:
    """Return the endpoints that the service declares."""
    app = Flask(__name__)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    register_dialects(app, DIALECTS)
    return endpoints_of(app).values()


def _endpoint_list(path: str, endpoints: Collection[Endpoint]) -> str:
    """Return the endpoints under ``path`` in words."""
    return " or ".join(map(str, dialect_endpoints(path, endpoints, DIALECTS)))


def _error_head(dialect: Dialect) -> str:
    """Return the fields beside ``error`` of an error by nginx, which has its status as code."""
    fields = json.dumps(dialect.error_head("$status", "$forecast_message"))
    return fields[1:-1] + "," * (fields != "{}")


def _headers_of(endpoint: Endpoint) -> Iterator[str]:
    """Yield the headers that an endpoint's view reads, under all their names."""
    for name, field in endpoint.headers.fields.items() if endpoint.headers else ():
        yield field.data_key or name
        if older := field.metadata.get("alias"):
            yield older


def _location_templates(endpoints: Collection[Endpoint]) -> dict[str, tuple[str, Endpoint]]:
    """Return the template and an endpoint of each location; a method that computes decides."""
    asks = {_location(one): (ASKS, one) for one in endpoints if _is_lookup(one)}
    return asks | {
        _location(one): (COMPUTES, one)
        for one in endpoints
        if one.computes or one.cost is CallCost.RELAYED
    }


def _location_values(path: str, endpoint: Endpoint, read_timeout: int) -> dict[str, object]:
    """Return the values of a location; a batch has a body size and a time of its own."""
    batch = endpoint.batch
    limit = endpoint.time_limit_seconds
    seconds = max(read_timeout, int(limit) + BATCH_MARGIN_SECONDS) if limit else read_timeout
    size = f"        client_max_body_size {batch.max_sent_bytes};\n" if batch else ""
    return {"PATH": path, "BODY_SIZE": size, "CALL_TIMEOUT": seconds}


def _batch_issues(endpoints: Collection[Endpoint]) -> Iterator[str]:
    """Yield what nginx says of a body that is too large for a batch."""
    for one in endpoints:
        if batch := one.batch:
            pattern = rf"~^/+{one.path_pattern.lstrip('/')}(?:\?|$)"
            issue = f"the body is larger than {batch.max_sent_bytes} bytes; {batch.remedy}"
            yield f'    "{pattern}" "{issue}";'


def _is_lookup(endpoint: Endpoint) -> bool:
    """Return whether an endpoint only asks: it counts against no limit, and computes nothing."""
    return endpoint.cost is CallCost.NOTHING


def _location(endpoint: Endpoint) -> str:
    """Return nginx's location pattern for an endpoint."""
    return f"~ ^{endpoint.path_pattern}$" if endpoint.variables else f"= {endpoint.path}"


def _fill(template: str, values: dict[str, object]) -> str:
    return SiteTemplate(template).substitute(values)


def _request_variable(header: str) -> str:
    """Return nginx's variable for the request header ``header``."""
    return f"$http_{header.replace('-', '_').lower()}"


def _upstreams(addresses: list[str], most: int = 0) -> str:
    bound = f" max_conns={most}" if most else ""
    if len(addresses) == 1:
        return f"    server {addresses[0]} {LAST_NODE_OPTIONS}{bound};"
    # Also where all nodes have their most, so that is one job more.
    last = f"{LAST_NODE_OPTIONS}{' max_conns=1' if most else ''} backup"
    servers = [f"    server {address} {NODE_OPTIONS}{bound};" for address in addresses]
    again = [f"    server {address} {last};" for address in addresses]
    return "\n".join(["    least_conn;", *servers, *again])


def _listen(places: list[str], options: str) -> str:
    # `ssl http2` works with nginx 1.22 (Debian 12) and with newer versions, which log a hint.
    lines = []
    for place in places:
        both = [place, f"[::]:{place}"] if place.isdigit() else [place]
        lines += [f"    listen {one}{options};" for one in both]
    return "\n".join(lines)


def _host_pattern(name: str) -> str:
    """Return nginx's regular expression for a server name: a table of names bounds their length."""
    if name.startswith("~"):
        return name
    pattern = re.escape(name).replace(r"\*", ".+")
    return "~*^" + re.sub(r"^\\\.", r"(?:.+\\.)?", pattern) + "$"


def _ports(options: argparse.Namespace) -> dict[str, None]:
    """Return the ports other than 443 that clients use."""
    ports = options.public_port or [place.rpartition(":")[2] for place in options.https]
    return dict.fromkeys(port for port in ports if port != "443")


def _tls_options(options: argparse.Namespace) -> str:
    lines = []
    if options.dh_parameters:
        lines.append(f"    ssl_dhparam               {options.dh_parameters};")
    if options.ocsp:
        lines += [
            "    ssl_stapling              on;",
            "    ssl_stapling_verify       on;",
            f"    ssl_trusted_certificate   {options.chain or options.certificate};",
            f"    resolver                  {options.resolver};",
        ]
    return "".join(line + "\n" for line in lines)


def _from_environment(name: str, default: int) -> int:
    """Return a setting, as the service reads it; a wrong one ends the program by its name."""
    text = os.environ.get(name)
    if not text:
        return default
    try:
        return int(SETTINGS[name.lower()].parse(text))
    except ValueError as error:
        sys.exit(f"Error: {name}: {error}")


def _cores() -> int:
    """Return the cores as the service counts them: a container may have fewer than the machine."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def _upstream(text: str) -> str:
    if not text or set(text) & set(" \t\r\n;{}\"'"):
        raise argparse.ArgumentTypeError("give HOST:PORT or unix:/path")
    return text


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:10]) >= 1 and len(text) < 10):
        raise argparse.ArgumentTypeError("give a whole number above 0")
    return int(text)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """Parse a command line, by default that of this process."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        argument_default=argparse.SUPPRESS,  # no "(default: None)"
    )
    _add_addresses(parser.add_argument)
    _add_tls(parser.add_argument)
    _add_limits(parser.add_argument)
    _add_settings_of_the_service(parser.add_argument)
    _add_files(parser.add_argument)
    return argparse.Namespace(**DEFAULTS | vars(parser.parse_args(words)))


def _add_addresses(add: Callable[..., object]) -> None:
    add(
        "--server-name",
        action="append",
        required=True,
        help="e.g. forecast.example.com; repeat for each name or address that clients use, other "
        "hosts get 421",
    )
    add(
        "--upstream",
        type=_upstream,
        action="append",
        help=f"where gunicorn listens, {SOCKET} or 10.0.0.2:8000; repeat for each node "
        f"(default: {SOCKET})",
    )
    listen = "port, on IPv4 and IPv6, or address:port; may be repeated"
    add("--http", action="append", help=f"{listen} (default: 80)")
    add("--https", action="append", help=f"{listen} (default: 443)")
    add(
        "--public-port",
        action="append",
        help="port that clients use, where a router or a container maps it to that of --https; "
        "may be repeated (default: those of --https)",
    )


def _add_tls(add: Callable[..., object]) -> None:
    add("--certificate", required=True, help="path of the full certificate chain in PEM")
    add("--key", required=True, help="path of the private key in PEM")
    add("--acme-root", default="/var/www/acme", help="folder for ACME challenges")
    add("--dh-parameters", help="path of Mozilla's ffdhe2048; only needed for DHE ciphers")
    add(
        "--ocsp",
        action="store_true",
        help="staple OCSP responses; only for certificates that name an OCSP responder, which "
        "those of Let's Encrypt and others do not",
    )
    add("--chain", help="issuers of the certificate in PEM, if not in --certificate")
    add("--resolver", default="127.0.0.53", help="name server to resolve the OCSP responder")


def _add_limits(add: Callable[..., object]) -> None:
    add(
        "--requests-per-minute",
        type=_count,
        default=12_000,
        help="requests per address, a coarse protection against floods",
    )
    add("--verify-per-minute", type=_count, default=600, help="GET /verify per address")
    add("--account-per-minute", type=_count, default=300, help="pages under /account per address")
    add("--connections", type=_count, default=200, help="concurrent requests per address")
    add("--client-timeout", type=_count, default=10, help="seconds without data from a client")


def _add_settings_of_the_service(add: Callable[..., object]) -> None:
    """Add options that must match the service; its settings are the defaults."""
    add(
        "--forecasts-per-node",
        type=_count,
        default=_from_environment("WEB_CONCURRENCY", _cores())
        + _from_environment("FORECAST_QUEUE", 256),
        help="concurrent forecasts per node: those it computes (WEB_CONCURRENCY) and queues "
        "(FORECAST_QUEUE)",
    )
    add(
        "--wait-seconds",
        type=_count,
        default=_from_environment("FORECAST_WAIT_SECONDS", 5),
        help="after how many seconds clients of a full service come again, the service's "
        "FORECAST_WAIT_SECONDS",
    )
    add(
        "--max-body-bytes",
        type=_count,
        default=_from_environment("MAX_BODY_BYTES", 4 * 1024 * 1024),
        help="largest request body in bytes, the service's MAX_BODY_BYTES",
    )
    add(
        "--read-timeout",
        type=_count,
        default=_from_environment("FORECAST_TIMEOUT_SECONDS", 30) + READ_MARGIN_SECONDS,
        help="seconds for a forecast; more than the service's FORECAST_TIMEOUT_SECONDS",
    )


def _add_files(add: Callable[..., object]) -> None:
    add(
        "--maintenance-file",
        default="/etc/nginx/forecast-service.maintenance",
        help="while this file exists, every response is 503",
    )
    add(
        "--access-log",
        default="/var/log/nginx/forecast-service.access.log",
        help="where requests are logged, one JSON object per line",
    )
    add("--error-log", default="/var/log/nginx/error.log", help="where nginx logs critical errors")


if __name__ == "__main__":
    print(render(parse(), service_endpoints()), end="")
