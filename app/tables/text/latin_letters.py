"""Recognize an encoding of Latin letters by the languages whose letters its words have."""

import re
from collections.abc import Iterable

from app.tables.text.alphabets import Encoding

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


def guess_latin(sample: str) -> Encoding:
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
