"""The step that requests a certificate from an authority, and the errors of certbot."""

import re

from app.ops.setup.checks import check_name
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import ACME_ROOT, SetupOptions
from app.ops.setup.steps import SetupStep

_LOG = "/var/log/letsencrypt/letsencrypt.log"
# Lines of certbot that are not about the problem.
_BOILERPLATE = (
    r"Saving debug log|Requesting a certificate|Account registered|Ask for help|See the logfile"
)
# Patterns in certbot's output, and what to do; the first match is shown.
_REJECTIONS = (
    (
        r"rateLimited|too many (certificates|failed|requests|new|registrations|currently)",
        "the authority rejects requests for now, because it was asked too often for {name}; "
        "wait an hour, or as long as {log} says, before the next try",
    ),
    (
        r"not yet valid|certificate has expired|clock",
        "the clock of this machine is wrong; run `timedatectl set-ntp true`, and look at it with "
        "`date`",
    ),
    (
        r"rejectedIdentifier|Cannot issue for|forbids issuance|policy|not a valid (public )?domain",
        "the authority does not certify {name}; send a public name that you own",
    ),
    (r"CAA record", "a CAA record of {name} forbids this authority; change it in the DNS"),
    (
        r"NXDOMAIN|no valid A(AAA)? records|SERVFAIL|DNS problem",
        "the authority does not find {name} in the DNS yet; wait until other networks see it",
    ),
    (
        r"invalidContact|invalid contact|contact email|Invalid email",
        "the authority rejects the address {email}; send another",
    ),
    (
        r"Timeout during connect|acme:error:connection|Fetching http\S+ Connection refused",
        "the authority cannot reach {name} on port 80; open it in the firewall and on the router, "
        "for IPv6 too if {name} has an AAAA record",
    ),
    (
        r"Invalid response from|acme:error:unauthorized",
        "under {name} the authority reaches another machine than this one; let its A and AAAA "
        "records point here",
    ),
    (
        r"certificate verify failed",
        "this machine does not trust the authority; run `apt-get install --yes ca-certificates`, "
        "or name a private one's certificate in REQUESTS_CA_BUNDLE",
    ),
    (
        r"Network is unreachable|name resolution|Max retries exceeded|Connection refused|timed out"
        r"|Failed to establish",
        "the authority cannot be reached from this machine; look at its network and proxy",
    ),
    (r"No space left", "the disk is full; free space on it"),
    (
        r"Another instance of Certbot",
        "certbot is running already, perhaps to renew; wait until it has ended",
    ),
)


def certificate_step(machine: Machine, options: SetupOptions) -> SetupStep:
    """Return the step that requests a certificate; an existing one is kept."""
    chain = machine.path(f"{options.real_certificate}/fullchain.pem")

    def check() -> str | None:
        return f"issued, in {options.real_certificate}" if chain.exists() else None

    def apply() -> str:
        check_name(machine, options)
        server = ["--server", options.acme_server] if options.acme_server else []
        result = machine.run(
            *("certbot", "certonly", "--non-interactive", "--agree-tos", "--email", options.email),
            *("--webroot", "--webroot-path", ACME_ROOT, "--domain", options.name),
            *("--deploy-hook", "systemctl reload nginx", *server),
        )
        if result.status != 0:
            raise SetupError(certbot_problem(result.stdout + result.stderr, options))
        return f"issued, in {options.real_certificate}; certbot's timer renews it"

    return SetupStep(
        "certificate", f"ask an authority for a certificate of {options.name}", check, apply
    )


def certbot_problem(output: str, options: SetupOptions) -> str:
    """Return a sentence with the problem that certbot reported, and what to do."""
    for pattern, remedy in _REJECTIONS:
        if re.search(pattern, output, re.IGNORECASE | re.DOTALL):
            sentence = remedy.format(name=options.name, email=options.email, log=_LOG)
            return f"{sentence}. Until then the service has a self-signed certificate"
    detail = re.search(r"Detail: (.*)", output)
    lines = [line for line in output.splitlines() if line and not re.match(_BOILERPLATE, line)]
    reason = detail[1] if detail else (lines or ["it gave no reason"])[0]
    return f"certbot failed: {reason.rstrip('.')}; {_LOG} has more"
