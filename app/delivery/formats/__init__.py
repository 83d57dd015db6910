"""The formats of webhooks, one module each, named after the format and with a ``FORMAT``."""

import importlib
import pkgutil

from app.delivery.formats.types import MessageFormat, UnknownFormatError

DEFAULT_FORMAT = "standard"
_OTHER_MODULES = {"types"}

FORMATS: dict[str, MessageFormat] = {
    name: importlib.import_module(f"{__name__}.{name}").FORMAT
    for name in sorted(
        (module.name for module in pkgutil.iter_modules(__path__)),
        key=lambda name: (name != DEFAULT_FORMAT, name),
    )
    if name not in _OTHER_MODULES
}


def find_format(name: str) -> MessageFormat:
    """Return the format of a webhook.

    Raises:
        UnknownFormatError: This release has no such format.
    """
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownFormatError(name) from None
