"""Recognize the encoding of text that is not Unicode, by how its bytes follow each other."""

import re

from app.tables.text.alphabets import THAI_ENCODING, Encoding, guess_alphabet
from app.tables.text.latin_letters import WESTERN, guess_latin

_SAMPLE_BYTES = 100_000
_MIN_PAIRS = 4
_MIN_PAIRED_FRACTION = 0.9  # of the bytes beyond ASCII: in Western text these stand singly
_HIGH = re.compile(r"[\x80-\xff]+")
_JAPANESE = re.compile(r"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]")
_JAPANESE_KANA = re.compile(r"\x82[\x9f-\xf1]|\x83[\x40-\x96]|[\x88-\x9f][\x40-\x7e\x80-\xfc]")
_PAIR = re.compile(r"[\xa1-\xfe][\xa1-\xfe]")
_HANZI = re.compile(r"[\xb0-\xf7][\xa1-\xfe]")
_COMMON_HANZI = re.compile(r"[\xb0-\xd7]")  # the others look like small letters of Cyrillic
_HANGUL = re.compile(r"[\xb0-\xc8][\xa1-\xfe]")
_MIN_HANGUL_FRACTION = 0.95  # of pairs; of Chinese characters about half are among them
_BIG5_CHARACTER = re.compile(r"[\xa1-\xc6\xc9-\xf9][\x40-\x7e\xa1-\xfe]")
_SIGN_OF_BIG5 = re.compile(r"[\xa1-\xa3]")  # such as a wide space
_COMMON_BIG5 = re.compile(r"[\xa4-\xc6]")
_MIN_COMMON_FRACTION = 0.8  # of characters: the others are rare
_MIN_MONTHS = 2  # different ones: one may be three bytes of another encoding
_THAI_MONTHS = "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.".encode(
    "cp874"
).decode("latin-1")
_THAI_MONTH = re.compile("|".join(map(re.escape, _THAI_MONTHS.split())))


_GB18030 = Encoding("gb18030", "GB18030, of Chinese")
_BIG5 = Encoding("cp950", "Big5, of Chinese")
_SHIFT_JIS = Encoding("cp932", "Shift JIS, of Japanese")
_EUC_KR = Encoding("cp949", "EUC-KR, of Korean")


def guess_encoding(content: bytes) -> Encoding:
    """Return the most likely encoding of text that is not UTF-8."""
    sample = content[:_SAMPLE_BYTES].decode("latin-1")  # a character for each byte
    runs = _HIGH.findall(sample)
    high = "".join(runs)
    if not high:
        return WESTERN
    guessed = (
        (THAI_ENCODING if len({*_THAI_MONTH.findall(sample)}) >= _MIN_MONTHS else None)
        or guess_alphabet(runs, are_only_letters=True)
        or _wide_encoding(sample, runs, len(high))
        or guess_alphabet(runs)
    )
    if guessed is None:
        guessed = _BIG5 if _is_big5(sample, len(high)) else guess_latin(sample)
    return guessed if _can_decode(content, guessed) else WESTERN


def _wide_encoding(sample: str, runs: list[str], size: int) -> Encoding | None:
    """Return an encoding of two bytes a character, if nearly all bytes are such pairs."""
    pairs = [pair for run in runs if len(run) % 2 == 0 for pair in _PAIR.findall(run)]
    if len(pairs) >= _MIN_PAIRS and 2 * len(pairs) >= _MIN_PAIRED_FRACTION * size:
        hanzi = sum(map(bool, map(_HANZI.match, pairs)))
        hangul = sum(map(bool, map(_HANGUL.match, pairs)))
        usual = sum(map(bool, map(_COMMON_HANZI.match, pairs)))
        if usual >= _MIN_COMMON_FRACTION * hanzi and 2 * hanzi > len(pairs):
            return _EUC_KR if hangul >= _MIN_HANGUL_FRACTION * hanzi else _GB18030
    kana = _JAPANESE_KANA.findall(sample)
    covered = sum(sum(byte >= "\x80" for byte in part) for part in _JAPANESE.findall(sample))
    if len(kana) >= _MIN_PAIRS and covered >= _MIN_PAIRED_FRACTION * size and _has_low_leads(runs):
        return _SHIFT_JIS
    return None


def _is_big5(sample: str, size: int) -> bool:
    """Return whether nearly all bytes are characters of Big5, most of them usual ones."""
    characters = _BIG5_CHARACTER.findall(sample)
    covered = sum(sum(byte >= "\x80" for byte in pair) for pair in characters)
    usual = sum(map(bool, map(_COMMON_BIG5.match, characters)))
    count = len(characters) - sum(map(bool, map(_SIGN_OF_BIG5.match, characters)))
    is_covered = count >= _MIN_PAIRS and covered >= _MIN_PAIRED_FRACTION * size
    return is_covered and usual >= _MIN_COMMON_FRACTION * count


def _has_low_leads(runs: list[str]) -> bool:
    """Return whether most runs begin with a byte that is a sign, or undefined, in Windows-1252."""
    return 2 * sum("\x81" <= run[0] <= "\x9f" for run in runs) > len(runs)


def _can_decode(content: bytes, encoding: Encoding) -> bool:
    try:
        content.decode(encoding.codec)
    except UnicodeDecodeError:
        return False
    return True
