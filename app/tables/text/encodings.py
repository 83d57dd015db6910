"""Recognize the encoding of text that is not Unicode: by the order of its bytes, or its letters."""

import re
from collections.abc import Iterable

from app.tables.text.alphabets import THAI_ENCODING, Encoding, guess_alphabet

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
_WORD = re.compile(r"[A-Za-z\x80-\xff]+")
_MAX_WORDS = 2_000  # different ones
_MIN_WORD_FRACTION = 0.9  # of the words, whose letters a language must have
# Signs that are next to letters: of units and ordinals, quotation marks, dashes and the euro.
_SIGNS = "²³°µªº€£§®™‘’“”„«»–—…·\xa0\xad‚"
# č before a vowel, ě and ů within words, ř as in při; of Hungarian ő, and ű, but for the û of août.
_CZECH_LETTER = re.compile(
    r"[\xe8\xc8](?=[aeiouy\xe1\xed\xfd\xec])|(?<=[A-Za-z])[\xec\xf9](?=[a-z])"
    r"|(?<=[pPtTdDbB])\xf8(?=[ei\xed\xec])|\bK\xe8\b"
)
_HUNGARIAN_LETTER = re.compile(r"(?<=[a-zA-Z])[\xf5\xfb](?<!o\xfb)(?![eo\xe7])")
_HUNGARIAN_VOWEL = re.compile(r"[\xe1\xe9\xed\xf3]")
_NOT_HUNGARIAN = re.compile(r"[\xe0\xe3\xe4\xe7\xe8\xea\xee]")
_WESTERN_LETTER = re.compile(r"[\xe4\xe8\xe0\xf1\xe3\xe5\xdf]")
_MIN_LETTERS = 2  # of another language, beside the letters that it combines
_CENTRAL = "of Central Europe"
_BALTIC = "of the Baltic"
# Letters of languages that Windows-1252 has: German, French, Spanish, Portuguese, Italian,
# Swedish, Danish, Dutch, Catalan.
_WINDOWS_1252_ALPHABETS = (
    "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúüñï", "áâãàçéêíóôõúü", "àèéìíîòóùú", "åäöéü", "æøåéäö",
    "éèëïöüó", "àçèéíïòóúü",
)  # fmt: skip
# Polish, Czech, Slovak, Hungarian, Romanian, Croatian with Slovenian; Turkish; Lithuanian, Latvian,
# Estonian.
_CENTRAL_EUROPEAN_ALPHABETS = (
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž",
)  # fmt: skip
_TURKISH_ALPHABETS = ("âçğıöşüİ",)
_BALTIC_ALPHABETS = ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")
_ICELANDIC = "áðéíóúýþæö"
_COMMON_IN_ICELANDIC = "áíúæ"  # without one of these, the letters may be Turkish
WESTERN = Encoding("cp1252", "Windows-1252")
_WINDOWS_1250 = Encoding("cp1250", f"Windows-1250, {_CENTRAL}")
# The more common encoding comes before another one with the same letters.
_ALPHABETS = [
    (encoding, frozenset(letters + letters.upper()))
    for encoding, languages in (
        (WESTERN, _WINDOWS_1252_ALPHABETS),
        (_WINDOWS_1250, _CENTRAL_EUROPEAN_ALPHABETS),
        (Encoding("iso8859_2", f"ISO-8859-2, {_CENTRAL}"), _CENTRAL_EUROPEAN_ALPHABETS),
        (Encoding("cp1254", "Windows-1254, of Turkish"), _TURKISH_ALPHABETS),
        (Encoding("cp1257", f"Windows-1257, {_BALTIC}"), _BALTIC_ALPHABETS),
    )
    for letters in languages
]


def guess_encoding(content: bytes) -> Encoding:
    """Return the most likely encoding of text that is not UTF-8."""
    sample = content[:_SAMPLE_BYTES].decode("latin-1")  # a character for each byte
    runs = _HIGH.findall(sample)
    high = "".join(runs)
    if not high:
        return WESTERN
    guessed = (
        (THAI_ENCODING if len({*_THAI_MONTH.findall(sample)}) >= _MIN_MONTHS else None)
        or guess_alphabet(runs, must_be_letters=True)
        or _wide_encoding(sample, runs, len(high))
        or guess_alphabet(runs)
    )
    if guessed is None:
        guessed = _BIG5 if _is_big5(sample, len(high)) else _guess_latin(sample)
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


def _guess_latin(sample: str) -> Encoding:
    """Return the encoding with a language that has the letters of nearly all words.

    If each may be a word of some Western language, the letters next to theirs decide. The bytes of
    ``sample`` were decoded as Latin-1.
    """
    distinct = dict.fromkeys(word for word in _WORD.findall(sample) if not word.isascii())
    words = [word.encode("latin-1") for word in [*distinct][:_MAX_WORDS]]
    alphabets = [*_ALPHABETS]
    if any(letter in sample for letter in _COMMON_IN_ICELANDIC):
        alphabets.append((WESTERN, frozenset(_ICELANDIC + _ICELANDIC.upper())))
    fitting = [(encoding, _find_words(words, encoding, letters)) for encoding, letters in alphabets]
    western = set().union(*(fits for encoding, fits in fitting if encoding is WESTERN))
    encoding, most = max(fitting, key=lambda of_language: len(of_language[1]))
    is_clear = len(most) > len(western) and len(most) >= _MIN_WORD_FRACTION * len(words)
    if is_clear:
        return encoding
    return _WINDOWS_1250 if _are_placed_as_in_central_europe(sample) else WESTERN


def _are_placed_as_in_central_europe(sample: str) -> bool:
    """Return whether letters of Western languages are next to letters that these do not combine."""
    czech, hungarian = _CZECH_LETTER.findall(sample), _HUNGARIAN_LETTER.findall(sample)
    is_czech = 2 * len(czech) >= max(len(_WESTERN_LETTER.findall(sample)), 2)
    is_hungarian = bool(_HUNGARIAN_VOWEL.search(sample) and not _NOT_HUNGARIAN.search(sample))
    return (is_czech and len(czech) >= _MIN_LETTERS) or (
        is_hungarian and len(hungarian) >= _MIN_LETTERS
    )


def _find_words(words: Iterable[bytes], encoding: Encoding, letters: frozenset[str]) -> set[bytes]:
    """Return the words that have only these letters, except for signs at their ends."""
    decoded = {word: word.decode(encoding.codec, "replace").strip(_SIGNS) for word in words}
    return {
        word
        for word, text in decoded.items()
        if all(letter.isascii() or letter in letters for letter in text)
    }
