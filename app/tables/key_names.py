"""Recognize the names of columns that have keys, or numbers of things such as stores."""

import re

_IDENTIFIER = re.compile(
    r"konto|account|cuenta|compte|(?:\b|_)(?:id|nr|no|num|code)(?:\b|_)|number|nummer|kostenstelle"
    r"|plant|werk|company|buchungskreis|customer|kunde|store|shop|filiale|sku|artikel|year|jahr",
    re.IGNORECASE,
)
_YEAR_NAME = re.compile("year|jahr", re.IGNORECASE)
_KEY_NAME = re.compile(
    r"(?:^|[\s_.-])(?:ids?|keys?|code|sku|ean|gtin|plz|zip|postcode|zip ?code|phone|tel|kod)$"
    r"|(?:^|[\s_.-])(?:nr|no)\.?$"
    r"|(?-i:[a-z]I[dD]$)"  # as in orderId; not Paid or Madrid
    r"|^id\b|^documento?$|(?:number|nummer|№|代码|代碼|编码|编号|編號|コード|番号|코드|번호|код)$",
    re.IGNORECASE,
)


def is_named_key(name: str) -> bool:
    return _KEY_NAME.search(name) is not None


def is_named_identifier(name: str) -> bool:
    """Return whether a name is that of keys, or of things such as stores that have numbers."""
    return is_named_key(name) or _IDENTIFIER.search(name) is not None


def is_named_thing(name: str) -> bool:
    """Return whether a name is that of keys or things, whose numbers may look like years."""
    return is_named_identifier(name) and _YEAR_NAME.search(name) is None
