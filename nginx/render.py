"""Render the nginx site: ``python nginx/render.py --server-name … --certificate … --key …``.

Prints a file for ``/etc/nginx/conf.d/``. Only the standard library is needed.
"""

import argparse
from pathlib import Path
from string import Template


class SiteTemplate(Template):
    """A template whose placeholders are ``@NAME@``; nginx's own variables start with ``$``."""

    delimiter = "@"
    pattern = r"""
    @(?:(?P<escaped>@@)|(?P<named>[A-Z_]+)@|(?P<braced>(?!))|(?P<invalid>(?!)))
    """


def render(options: dict[str, str]) -> str:
    """Return the site with ``options`` put in; a missing one raises KeyError."""
    template = (Path(__file__).parent / "forecast-service.conf.template").read_text()
    return SiteTemplate(template).substitute(options)


def main() -> None:
    """Print the site that the command line describes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server-name", required=True, help="e.g. forecast.example.com")
    parser.add_argument("--certificate", required=True, help="path of the full chain in PEM")
    parser.add_argument("--key", required=True, help="path of the private key in PEM")
    parser.add_argument("--upstream", default="127.0.0.1:8000", help="where gunicorn listens")
    parser.add_argument("--http-port", default="80")
    parser.add_argument("--https-port", default="443")
    parser.add_argument("--per-minute", default="600", help="GET /verify a minute and address")
    parser.add_argument("--max-body", default="4m", help="as MAX_BODY_BYTES, in nginx's units")
    parser.add_argument("--read-timeout", default="60s", help="above FORECAST_TIMEOUT_SECONDS")
    options = vars(parser.parse_args())
    print(render({name.upper(): value for name, value in options.items()}), end="")


if __name__ == "__main__":
    main()
