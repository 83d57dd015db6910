"""Recognize an encoding of an alphabet, such as Cyrillic, by how common its letters are."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_MIN_LETTER_FRACTION = 0.9  # at least this fraction of the bytes must be letters of the alphabet
_MIN_WORD_LENGTH = 3.0  # words must have this many letters on average
# The mean rank of the letters of a text is 8 to 10; that of other bytes is 18.
_MAX_MEAN_RANK = 14.0
# A few Chinese characters may consist of letters, too: where all bytes must be letters, the text
# must have more of them, and a lower mean rank.
_MIN_LETTERS_OF_ALL = 12
_MAX_MEAN_RANK_OF_ALL = 11.0
_MAX_RANK = 40


class Encoding(NamedTuple):
    codec: str
    name: str


class _Alphabet(NamedTuple):
    """An encoding, and its letters.

    Attributes:
        encoding: The encoding.
        ranks: The rank of each letter by its byte, 0 for the most common letter.
        impossible: Bytes that no word of the alphabet has.
    """

    encoding: Encoding
    ranks: Mapping[str, float]
    impossible: re.Pattern[str]


def _alphabet_of(codec: str, name: str, letters: str, impossible: str) -> _Alphabet:
    """Return an alphabet whose ``letters`` are in the order of their frequency.

    Ranks of more letters are scaled to the number of letters of Cyrillic.
    """
    all_letters = [*letters, *letters.upper()]
    letters_by_byte = [
        (letter.encode(codec, "ignore").decode("latin-1"), letter) for letter in all_letters
    ]
    step = min(1.0, _MAX_RANK / len(letters))
    ranks = {byte: step * letters.index(letter.lower()) for byte, letter in letters_by_byte if byte}
    return _Alphabet(Encoding(codec, name), ranks, re.compile(impossible))


_CYRILLIC = _alphabet_of(
    "cp1251",
    "Windows-1251, of Cyrillic",
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўј",
    r"(?<=[\xe0-\xff])[\xc0-\xdf]",  # a capital in the middle of a word
)
_GREEK = _alphabet_of(
    "cp1253",
    "Windows-1253, of Greek",
    "αοιετσνηυρπκμλςωδγχθφίόάέβήξύώζψϊϋΐΰ",
    r"(?<=[\xdc-\xfe])[\xc1-\xdb]|\xf2(?=[\xc1-\xfe])",  # or a final sigma
)
_HEBREW = _alphabet_of("cp1255", "Windows-1255, of Hebrew", "יוהלאתשרבמםדנחעקכפטצגןסזךףץ", r"\x00")
_GREEK = _GREEK._replace(ranks={"\xb6": _GREEK.ranks["\xa2"], **_GREEK.ranks})  # Ά in ISO-8859-7
_ARABIC_LETTERS = "اليمونترسبدعفةهحقكجشطصخأذىضئزغثءإآؤظـ"
_ARABIC = _alphabet_of("cp1256", "Windows-1256, of Arabic", _ARABIC_LETTERS, r"\xc9(?=[\xc1-\xed])")
_ISO_ARABIC = _alphabet_of(
    "iso8859_6", "ISO-8859-6, of Arabic", _ARABIC_LETTERS, r"\xc9(?=[\xc1-\xea])"
)
_THAI_LETTERS = "านรอกเงมยลวดทสตะปบคั่ี้แิจพหขใช์ุไูผธณำโถภซศฐฉ็ึืญฎษฟฝๆฤฮฒฆฏฑฌฯ"
_THAI = _alphabet_of(
    "cp874", "Windows-874, of Thai", _THAI_LETTERS, r"(?<![\xa1-\xdf])[\xd1\xd4-\xda\xe7-\xec]"
)
THAI_ENCODING = _THAI.encoding
_ALPHABETS = (_CYRILLIC, _GREEK, _HEBREW, _ARABIC, _ISO_ARABIC, _THAI)
_ISO_GREEK = Encoding("iso8859_7", "ISO-8859-7, of Greek")
# Ά and the sign of the euro in one of Greek's encodings: a pilcrow and ¤ in the other.
_ISO_SIGN = re.compile(r"\xb6(?=[\xc1-\xfe])|\xa4")
_WINDOWS_SIGN = re.compile(r"[\x80-\x9f]|\xa2(?=[\xc1-\xfe])")


def guess_alphabet(runs: Iterable[str], *, must_be_letters: bool = False) -> Encoding | None:
    """Return the encoding of the alphabet of the text's words, None if they have none.

    Args:
        runs: Bytes beyond ASCII that are side by side, as characters of Latin-1.
        must_be_letters: Whether all bytes must be letters: bytes of Chinese never all are.
    """
    distinct = {*runs}  # a sign such as that of the euro may be in each row
    words = [run for run in distinct if any(byte >= "\xc0" for byte in run)]
    size = sum(map(len, words))
    if not words or size < max(
        _MIN_WORD_LENGTH * len(words), _MIN_LETTERS_OF_ALL * must_be_letters
    ):
        return None
    text = "\n".join(words)
    counts = [(sum(map(alphabet.ranks.__contains__, text)), alphabet) for alphabet in _ALPHABETS]
    if max(count for count, _ in counts) < size * (1 if must_be_letters else _MIN_LETTER_FRACTION):
        return None
    fitting = [
        (_mean_rank(text, alphabet), alphabet)
        for count, alphabet in counts
        if count >= _MIN_LETTER_FRACTION * size
    ]
    mean, alphabet = min(fitting, key=lambda ranked: ranked[0])
    if mean > (_MAX_MEAN_RANK_OF_ALL if must_be_letters else _MAX_MEAN_RANK):
        return None
    signs = "\n".join(distinct)
    if alphabet is _GREEK and _ISO_SIGN.search(signs) and not _WINDOWS_SIGN.search(signs):
        return _ISO_GREEK
    return alphabet.encoding


def _mean_rank(text: str, alphabet: _Alphabet) -> float:
    """Return the mean rank of the letters of a text; impossible bytes count as the rarest."""
    rarest = len(alphabet.ranks)
    ranks = [alphabet.ranks.get(byte, rarest) for byte in text if byte != "\n"]
    return (sum(ranks) + rarest * len(alphabet.impossible.findall(text))) / len(ranks)
