"""Recognize keys and codes that look like numbers: by their column's name, or as 41588X.

A name of keys is also one of identifiers, things, codes and places. A name of counts, such as
“number of stores”, is not one of keys, documents or identifiers.
"""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from app.tables.numbers.parsing import without_missing

_MAX_NAME_LENGTH = 300  # characters that are searched: a cell of megabytes may stand for a name
# Between the words of order_id and InvoiceNo; Paid, Madrid and BuKr are one word.
_JOINT = re.compile("_|(?<=[a-z])(?=(?:I[dD]|No|Nr|Num|Number|Code|Total|Counts?)(?![a-z]))")
_IDENTIFIER = re.compile(
    r"konto|account|cuenta|compte|\b(?:id|nr|no|num|code)\b|number|nummer|kostenstelle"
    r"|bukrs?\b|tenant|mandant|cost ?cent(?:er|re)|plant|werk|company|buchungskreis"
    r"|customer|kunde|store|shop|filiale|sku|artikel|year|jahr",
    re.IGNORECASE,
)
# Names of counts, which may begin or end like names of keys.
_COUNT_NAME = re.compile(
    r"\b(?:total|counts?\b|anzahl|antal|aantal|liczba)"
    r"|\b(?:number|no\.?|nr\.?|num\.?|nombre|n[úu]mero) (?:of|de|di|do|von|av|af|van)\b"
    "|nombre d['’]",
    re.IGNORECASE,
)
_PLACE_NAME = re.compile(
    r"\b(?:seat|gate|room|platform|sitz|sitzplatz|zimmer|gleis)\b", re.IGNORECASE
)
# Things that are numbered. In a longer name, such as unit price, they say nothing.
_THING_NAME = re.compile(
    r"(?:unit|machine|sensor|station|site|meter|channel|zone|ward|branch|district|team|turbine|pump"
    r"|well|household|person|patient|subject|respondent|participant|sprint|anlage|maschine|zähler"
    r"|bezirk|standort|capteur|poste|usine|unidad|estaci[oó]n|m[aá]quina)",
    re.IGNORECASE,
)
_YEAR_NAME = re.compile("year|jahr", re.IGNORECASE)
_KEY_NAME = re.compile(
    r"(?:^|[\s.-])(?:ids?|keys?|code|sku|ean|gtin|plz|zip|postcode|zip ?code|phone|tel|kod)$"
    r"|nr\.?$|(?:^|[\s.-])no\.?$"  # also Fakturanr.
    r"|^id\b|^documento?$|(?:number|nummer|№|代码|代碼|编码|编号|編號|コード|番号|코드|번호|код)$",
    re.IGNORECASE,
)
# Kinds of movements, vouchers, taxes and the like.
_CODE_NAME = re.compile(
    r"^(?:bwa|mvt|mvmt|material|artikel|article|item|pos\.?|produkt|product|producto|produit|werk"
    r"|plant|plnt|sloc|lort)$"
    r"|(?:beweg|bewegungs|beleg|buchungs|konto|auftrags|steuer|waren|material)(?:art|gruppe|klasse)$"
    r"|\b(?:types?|typ|tipo|codes?|class|klasse|group|groupe|gruppe|category|kategorie)"
    r"(?: ?\(\w{1,20}\))?$"
    r"|schlüssel$",
    re.IGNORECASE,
)
_ACCOUNT_NAME = re.compile(
    r"(?:gl |g/l |gegen|haben|soll|sach|haupt)?(?:konto|account)"
    r"(?:nummer|nr\.?| ?(?:no\.?|number|code))?"
    r"|cuenta(?: contable)?|(?:n[°º] ?|num[ée]ro de )?compte(?: ?num)?|compauxnum|conto|conta"
    "|(?:grootboek)?rekening|rachunek|účet|счет|счёт|科目|勘定科目",
    re.IGNORECASE,
)
_DOCUMENT_NAME = re.compile(
    r"\b(?:invoice|order|voucher|document|doc|receipt|journal|factura|facture|fattura|fatura|pedido"
    r"|commande|pi[eè]ce|faktura|auftrag|buchung|dokumentu?)\b|beleg\b|rechnung\b|schein\b"
    r"|^(?:num|nr|no|n°|№)\b|\b(?:num|nr|no)\.?$",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"\d{1,40}[A-Z]", re.ASCII)
_MAYBE_LETTERED = re.compile(r"\d{2,40}[A-Z]?", re.ASCII)
_CODE = re.compile(r"\d{1,40}[-_/ ]?[A-Z]{1,3}", re.ASCII)
_SURE_CODE = re.compile(r"0\d|\d{1,40}[-_/]", re.ASCII)  # a unit is never after a hyphen
_MULTIPLES = {*"BGHKLMTVW"}  # letters of multiples and units, such as 12M and 230V
_SIGNS = ({*"CD"}, {*"HS"})  # letters of credits and debits
_MIN_CODE_LENGTH = 13  # numbers with a unit are shorter
_MIN_ID_LENGTH = 6  # of a code that differs in each row: 41588X may be one, 588X is a value
_MIN_CELLS_PER_CODE = 5  # codes of kinds repeat; sizes such as 500G repeat less


def is_named_count(name: str) -> bool:
    return bool(_COUNT_NAME.search(_start_of(name)))


def is_named_key(name: str) -> bool:
    return bool(_KEY_NAME.search(_start_of(name))) and not is_named_count(name)


def is_named_document(name: str) -> bool:
    """Return whether a column is named after vouchers, and not after their number."""
    return bool(_DOCUMENT_NAME.search(_start_of(name))) and not is_named_count(name)


def is_named_identifier(name: str) -> bool:
    """Return whether a column is named after keys, or after things with numbers, such as stores."""
    return is_named_key(name) or (
        bool(_IDENTIFIER.search(_start_of(name))) and not is_named_count(name)
    )


def is_named_thing(name: str) -> bool:
    """Return whether a column is named after keys or things, whose numbers may look like years."""
    is_thing = _THING_NAME.fullmatch(name) is not None
    return is_thing or (is_named_identifier(name) and not _YEAR_NAME.search(_start_of(name)))


def is_named_code(name: str) -> bool:
    """Return whether a column is named after keys, or after kinds that have numbers."""
    return is_named_key(name) or bool(_CODE_NAME.search(_start_of(name)))


def is_named_place(name: str) -> bool:
    """Return whether a column is named after keys, or after seats and rooms, such as 8B."""
    return is_named_key(name) or bool(_PLACE_NAME.search(_start_of(name)))


def is_named_account(name: str) -> bool:
    """Return whether a column is named after accounts of a ledger, with or without a note."""
    return _ACCOUNT_NAME.fullmatch(name.partition("(")[0].strip()) is not None


def _start_of(name: str) -> str:
    """Return the words that are searched of a name, which may be a cell of megabytes."""
    return _JOINT.sub(" ", name[:_MAX_NAME_LENGTH])


def are_lettered_codes(name: str, cells: Sequence[str]) -> bool:
    """Return whether cells of a column are codes or seats that begin with digits."""
    filled = without_missing(cells)
    if len(filled) <= 2:
        return False
    if is_named_key(name) and _are_alike(filled):
        return True
    if not all(map(_CODE.fullmatch, filled)):
        return False
    is_few = len({*filled}) * _MIN_CELLS_PER_CODE <= len(filled)
    if all(map(_SURE_CODE.match, filled)) or (is_few and is_named_code(name)):
        return True
    return all(map(_LETTERED.fullmatch, filled)) and _is_id_column(name, filled)


def _are_alike(cells: Sequence[str]) -> bool:
    """Return whether cells have the same number of digits, some with a letter after them.

    A few may be words, such as the POST of an invoice.
    """
    codes = [cell for cell in cells if _MAYBE_LETTERED.fullmatch(cell)]
    sizes = {len(cell.rstrip(ascii_uppercase)) for cell in codes}
    has_letters = any(map(_LETTERED.fullmatch, codes))
    words = [cell for cell in cells if not _MAYBE_LETTERED.fullmatch(cell)]
    return has_letters and len(sizes) == 1 and all(map(str.isalpha, words))


def _is_id_column(name: str, cells: Sequence[str]) -> bool:
    letters, sizes = {cell[-1] for cell in cells}, {*map(len, cells)}
    if len(letters) > 1 and min(sizes) < _MIN_CODE_LENGTH:
        return not letters <= _MULTIPLES and letters not in _SIGNS
    is_id = len(sizes) == 1 and len({*cells}) == len(cells) and not letters <= _MULTIPLES
    return (
        min(sizes) >= _MIN_CODE_LENGTH
        or (is_id and min(sizes) >= _MIN_ID_LENGTH)
        or is_named_place(name)
    )
