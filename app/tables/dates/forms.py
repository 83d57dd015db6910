"""The forms of dates: one pattern each, for cells normalized by ``fold_text``.

The groups of the patterns are the parts of dates:

- years: ``year`` (2024), ``short`` (24), ``next`` (20 in 2019/20), ``nth_year`` of an ``era``, and
  ``roc`` (112 in Taiwan);
- months: ``month`` (a number), ``name``, and ``last_name`` or ``last_month`` of several months;
- longer parts: ``quarter`` or ``quarter_sign`` (三), ``roman`` (IV, a month where another is VII),
  ``with_t`` if T is before or after the number (T1, also a third); of half-years ``term``,
  ``roman_term``, ``half_one`` (a word for the first) and ``half_two``;
- shorter ones: ``week``, ``nth`` (its day), ``day``, and ``last_day`` (the end of a period), or
  ``end_day`` with ``end_month`` or ``end_name`` where only the end has the year;
- numbers whose order is open: ``one``, ``two``, ``three``;
- the time: ``hour``, ``minute``, ``second``, ``fraction``, ``half`` (a or p), ``half_before`` and
  ``half_word`` (words for it), ``until`` (the end of an interval), ``zone``, ``zone_name``;
- numbers of units: ``epoch`` (seconds since 1970, perhaps with ``decimals``), ``serial`` (Excel's
  days), and ``count`` of a ``unit``, from 0 if there is ``nth_unit``;
- what has no time: ``weekday``, ``weekday_after``, ``flag``, and the signs ``mark`` (the same
  between all numbers), ``code`` (a letter of codes), ``point`` (in 10.30) and ``gap`` (a space).

``DateNotation`` renames two of them: ``third``, and ``gregorian`` for a year that is not Buddhist.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from app.tables.dates.clocks import BEFORE_CLOCK, CLOCK
from app.tables.dates.languages import QUARTERS_AFTER, QUARTERS_BEFORE
from app.tables.dates.month_names import WEEKDAY, WEEKDAY_MARK
from app.tables.dates.year_patterns import FISCAL_PREFIX, MODERN_YEAR

_YEAR = r"(?P<year>\d{4})"
_SHORT = r"['’]?(?P<short>\d{2})"  # 1969 to 2068
_LIKELY_YEAR = r"(?P<year>1[6-9]\d{2}|20\d{2}|21\d{2})"
_MODERN_YEAR = f"(?P<year>{MODERN_YEAR})"
_NTH_YEAR = r"(?P<nth_year>\d{1,3}|元)"  # of an era
_MONTH = r"(?P<month>\d{1,2})"
_LONG_MONTH = r"(?P<month>0?\d{1,2})"  # as SAP's periods have it: 006
_DAY = r"(?P<day>\d{1,2})"
_MM, _DD, _HH, _MI, _SS = (
    rf"(?P<{name}>\d{{2}})" for name in ("month", "day", "hour", "minute", "second")
)
# A name in any alphabet; Thai abbreviations have points inside, names of the Levant two words.
_NAME = (
    "(?P<name>(?:كانون|تشرين) (?:الاول|الثاني)|(?:mean|deireadh) fomhair"
    r"|[^\x00-@\[-`{-~](?:[^\d\s/,'’_-]{0,12}[^\x00-@\[-`{-~])?)\.?"
)
# The months of a quarter, or of another part of a year, as in Apr-Jun.
_MONTHS = rf"{_NAME}(?: ?[-–—/] ?| (?:to|bis|au|al|a) ){_NAME.replace('<name>', '<last_name>')}"
_END_NAME = _NAME.replace("<name>", "<end_name>")
_NTH = r"(?:st|nd|rd|th|er|\.)?"
_OF = r"(?:[-/ ]|(?<=\.)) ?(?:de |of )?"
_COUNTED = r"(?P<week>\d{1,2})"
# Java writes the name of a region after its offset: +01:00[Europe/Paris]; JavaScript that of the
# zone: GMT+0100 (Central European Standard Time).
_ZONE = (
    r"(?: ?(?P<zone>Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}|[+-]\d{2}|UTC|GMT)"
    r"(?:\[[a-z_/]{3,40}\]| \([a-z ]{4,50}\))?)?"
)
# Names such as PDT and CEST say no offset: the clock is taken as it is.
_NAME_OF_ZONE = r" \(?(?:[a-z]{2,4}t|mes?z|msk|(?:gmt|utc)[+-]\d{1,2}|[a-z]{4,10}/[a-z_]{3,20})\)?"
_ZONE_NAME = f"(?P<zone_name>{_NAME_OF_ZONE})?"
# The end of a row's interval, as in 06:00 - 07:00.
_UNTIL = (
    r"(?P<until> [-–] (?:\S+ )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?"
    rf"(?:{_NAME_OF_ZONE})?)?"
)
# The last day of a row's period, as in 01/16/2024 - 01/31/2024.
_TO = "(?: ?(?:[-–—~,]|to|bis|au|al|a) ?)"
_LAST_DAY = rf"(?P<last_day>{_TO}(?:\d{{1,4}}[-/.]){{2}}\d{{1,4}})?"
# The same with names, as in Jan 16, 2024 - Jan 31, 2024.
_LAST_NAMED_DAY = (
    rf"(?P<last_day>{_TO}(?:\d{{1,2}}{_NTH}[- ])?"
    rf"[^\s\d,-]{{1,13}}[- ](?:\d{{1,2}}{_NTH},? )?\d{{4}})?"
)
# The last day of a period that has the year for both: 29 Jan - 4 Feb 2024.
_END_DAY = rf"{_TO}(?P<end_day>\d{{1,2}})"
# What a date says about its period, as in w/e 07-Jan-24.
_LEAD = (
    "(?:w/?[ec]|(?:week|month|quarter|year|period) (?:ending|ended|commencing|beginning|of)"
    "|as (?:of|at)|stand|ab|vom|from|du|dal|del|semaine du|semana del?|settimana del)"
)
_FRONT = rf"(?:\.{{2,6}} ?)?(?:{_LEAD}[.:]? )?(?:(?P<weekday>{WEEKDAY})\.?,? +)?"
# A mark after a date, as of figures that are provisional or revised.
_FLAG = r"(?P<flag> ?(?:\((?:[a-z]{1,3}|\d)\)|[a-z]\)|[*†‡]{1,3}))?"
_SIGN_OF_WEEKDAY = "[月火水木金土日월화수목금토일一二三四五六]"
_NAME_OF_WEEKDAY = f"(?:星期|周|週)[一二三四五六日天]|{_SIGN_OF_WEEKDAY}(?:曜日?|요일)"
_WEEKDAY_AFTER = (
    rf"(?P<weekday_after>,? ?[(（](?:{WEEKDAY}|{_NAME_OF_WEEKDAY}|{_SIGN_OF_WEEKDAY})\.?[)）]"
    rf"|,? +(?:{WEEKDAY}|{_NAME_OF_WEEKDAY})\.?)?"
)
_TIME = rf"(?:{BEFORE_CLOCK}{CLOCK}(?: uhr)?(?:{_ZONE}|{_ZONE_NAME}){_UNTIL})?"
_WEEK = "(?:week|woche|semaine|semana|settimana|vecka|uge|uke|viikko|vko|kw|cw|wk|w|s|v)"
# T may be a third of a year.
_QUARTER = (
    rf"(?:(?:q0?|(?P<with_t>t))(?=\d)|(?:{QUARTERS_BEFORE})\.? ?)"
    "(?:(?P<quarter>[1-4])|(?P<roman>i{1,3}|iv))"
)
_ROMAN = r"(?P<roman>i{1,3}|i?v|vi{1,3}|i?x|xi{1,2})"  # a quarter, or a month
_NTH_QUARTER = (
    r"(?:(?P<quarter>[1-4])|(?P<roman>i{1,3}|iv))(?:\.|st|nd|rd|th|er|e|o|ο|[ºª°]|-?и)? ?"
    rf"(?:{QUARTERS_AFTER}|(?<=\d)(?P<with_t>t)(?=\d|[-/ ]\d{{4}}|$))"
)
# The name of the last month of a quarter.
_LAST_OF_QUARTER = _NAME.replace("<name>", "<last_name>")
_QUARTER_WORD = "(?:qtr|quarter)"
_SIGN_OF_QUARTER = "(?:(?P<quarter>[1-4])|(?P<quarter_sign>[一二三四]))"
_ROC = r"(?P<roc>1\d{2}|[6-9]\d)"  # a year of Taiwan
_TERM = r"(?:(?P<term>[12])|(?P<roman_term>ii?))"
_NTH_HALF = (
    rf"(?:{_TERM}(?:\.[ºª°o]?|st|nd|rd|th|ere?|e(?:me)?|o|ο|[ºª°]|-?[еo]е?)?|(?P<half_one>first|erstes|premier"
    r"|primer|primeiro|primo)|(?P<half_two>second|zweites|deuxieme|segundo|secondo)) ?"
    "(?:half(?:[- ]?year)?|hj|halbjahr|semestre|semester|semestr|sem|halfjaar|halvar|polrocze"
    "|połrocze|pololeti|polrok|полугодие|пiврiччя|felev|yariyil|yari)"
)
# The year of a date in words: 2024 г., 2024 roku.
_YEAR_IN_WORDS = rf"(?:{_YEAR}(?:\.| ?(?:г|года?|р|року|r|roku)\.?)?|{_SHORT})"
_WHOLE_YEAR_IN_WORDS = rf"{_YEAR}(?:\.| ?(?:г|года?|р|року|r|roku)\.?)?"


_GROUP = re.compile(r"\(\?P<[a-z_]+>")
NAME_GROUPS = {"name", "last_name", "end_name"}
QUARTER_GROUPS = {"quarter", "quarter_sign", "roman"}
HALF_GROUPS = {"term", "roman_term", "half_one", "half_two"}
LAST_MONTH_GROUPS = {"last_name", "last_month"}

DateParts = Mapping[str, str]  # by group


@dataclass(frozen=True, eq=False)
class DateForm:
    """A form, with a cell that has it; ``is_digits``: whether a number could match, too.

    ``date`` is the pattern of the date within that of a cell, ``source``.

    The patterns are compiled when they are first used: the names of weekdays, in each of them,
    make that take more than a second for all forms.
    """

    date: str
    source: str
    is_digits: bool
    example: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE | re.ASCII)

    @cached_property
    def _marked_pattern(self) -> re.Pattern[str]:
        marked = self.source.replace(WEEKDAY, WEEKDAY_MARK)
        return re.compile(marked, re.IGNORECASE | re.ASCII)

    def match(self, texts: Sequence[str]) -> re.Match[str] | None:
        """Match the texts that ``mark_weekdays`` returns for a cell."""
        if len(texts) == 1:
            return self._marked_pattern.fullmatch(texts[0])
        is_likely = any(map(self._marked_pattern.fullmatch, texts))
        return self.pattern.fullmatch(texts[-1]) if is_likely else None


def _date_form(example: str, date: str, *, is_digits: bool = False, time: str = _TIME) -> DateForm:
    front, weekday, flag = ("", "", "") if is_digits else (_FRONT, _WEEKDAY_AFTER, _FLAG)
    return DateForm(date, f"{front}{date}{weekday}{time}{flag}", is_digits, example)


@cache
def without_names(forms: tuple[DateForm, ...]) -> tuple[DateForm, ...]:
    """Return the forms of dates whose months are numbers."""
    return tuple(
        form for form in forms if not any(f"<{name}>" in form.date for name in NAME_GROUPS)
    )


@cache
def pattern_of_any(forms: tuple[DateForm, ...]) -> re.Pattern[str]:
    """Return a pattern of the cells that may have one of some forms, with a group for each form.

    Most cells of a table have none, and are matched once and not with each form. The pattern is for
    texts that ``mark_weekdays`` returns.
    """
    dates = "|".join(f"({form.date})" for form in forms)
    source = f"{_FRONT}(?:{dates}){_WEEKDAY_AFTER}(?:{_TIME}|{_ZONE}){_FLAG}"
    plain = _GROUP.sub("(?:", source.replace("(?P=mark)", "[-/.]"))
    return re.compile(plain.replace(WEEKDAY, WEEKDAY_MARK), re.IGNORECASE | re.ASCII)


# One cell does not show which of these numbers is the month.
_EITHER = _date_form(
    "03/04/2024",
    rf"(?P<one>\d{{1,2}})(?P<mark>[/-])(?P<two>\d{{1,2}})(?P=mark)(?:{_YEAR}|(?P<three>\d{{2}})){_LAST_DAY}",
)
_EITHER_YEARLESS = _date_form("3/4", r"(?P<one>\d{1,2})/(?P<two>\d{1,2})")
AMBIGUOUS_FORMS = (_EITHER, _EITHER_YEARLESS)
ROMAN_FORMS = (
    _date_form("IV/2024", rf"{_ROMAN}[-/ .]{{1,2}}{_YEAR}"),
    _date_form("2024-IV", rf"{_YEAR}[-/ .]{{1,2}}{_ROMAN}"),
)
# Half-years such as 2024-S1, which are weeks where others are 2024-S4.
HALVES_WITH_S = (
    _date_form("2024-S1", f"{_YEAR}[- /]*s[ .]?0?(?P<term>[12])"),
    _date_form("S1 2024", f"s[ .]?0?(?P<term>[12])[- /]*{_YEAR}"),
    _date_form("2024-S03", f"{_YEAR}[- ]?s03"),  # an annual average, as in BLS files
)

FORMS = (
    _date_form("2024-01-31", rf"{_YEAR}(?P<mark>[-/.]){_MONTH}(?P=mark){_DAY}{_LAST_DAY}"),
    _date_form("31.01.2024", rf"{_DAY}\. ?{_MONTH}\. ?{_YEAR_IN_WORDS}{_LAST_DAY}"),
    _EITHER,
    _date_form("2024-01", f"{_YEAR}[-/;]{_MONTH}"),
    _date_form("01/2024", rf"{_LONG_MONTH}[-/]{_YEAR}"),
    _date_form(
        "2024M13", f"{_YEAR}[- ]?(?:m13|q05|jj00)"
    ),  # a whole year, as in files of BLS and CBS
    _date_form("2024M01", rf"{_YEAR}[- ]?mm?(?P<month>0?\d|1[0-2])"),
    _date_form("2024P01", rf"{_YEAR}[-/. ]?(?P<code>p)(?P<month>\d{{1,3}})"),
    _date_form("P01/2024", rf"(?:(?P<code>p)|per\.?) ?(?P<month>\d{{1,3}})[-/. ]{_YEAR}"),
    _date_form("2024 Q1", f"{_YEAR}[- /.]?{_QUARTER}"),
    _date_form("Q1 2024", f"{_QUARTER}[- /.]*(?:nam |tahun )?(?:{_YEAR}|{_SHORT})"),
    _date_form("2024K1", f"{_YEAR}[- ]?(?P<code>[kc])(?P<quarter>[1-4])"),
    _date_form("C1 2024", f"(?P<code>c)(?P<quarter>[1-4])[- /]*{_YEAR}"),
    _date_form(
        "Mar Quarter 2024", f"{_LAST_OF_QUARTER}[- ]{_QUARTER_WORD}[- ,]*(?:{_YEAR}|{_SHORT})"
    ),
    _date_form("Mar 2024 Qtr", f"{_LAST_OF_QUARTER}[- ](?:{_YEAR}|{_SHORT}) ?{_QUARTER_WORD}"),
    _date_form("2024 Mar Qtr", f"{_YEAR}[- ]{_LAST_OF_QUARTER}[- ]{_QUARTER_WORD}"),
    _date_form(
        "2024年第1季度",
        rf"(?:{_YEAR} ?[年년]?|{_ROC} ?年) ?第? ?{_SIGN_OF_QUARTER} ?"
        "(?:季度?|四半期|(?:/4 ?)?분기)",
    ),
    _date_form("2024. 1/4", rf"{_YEAR}\. ?(?P<quarter>[1-4])/4"),
    _date_form(
        "2024年1-3月",
        rf"{_YEAR}(?: ?年 ?| ?/ ?){_MONTH} ?[-~〜～] ?(?P<last_month>\d{{1,2}})(?: ?月期?|\.)",
    ),
    _date_form("1st quarter 2024", rf"{_NTH_QUARTER}\.?[ /-]*{_YEAR_IN_WORDS}"),
    _date_form("2024 1st quarter", rf"{_YEAR}[- /.]*{_NTH_QUARTER}\.?"),
    *ROMAN_FORMS,
    _date_form("2024-H1", f"{_YEAR}[- /]*(?:h|hj|hy)[ .]*(?P<term>[12])"),
    _date_form("H1 2024", f"(?:h|hj|hy)[ .]*(?P<term>[12])(?:[- /]*{_YEAR}|[- /]+{_SHORT})"),
    _date_form("1H 2024", f"(?P<term>[12])h[- /]*{_YEAR}"),  # 1h24 may be a duration
    _date_form("1st half 2024", rf"{_NTH_HALF}\.?[ /-]*(?:del? |of |do )?{_YEAR_IN_WORDS}"),
    _date_form("2024 1st half", rf"{_YEAR}[- /.]*{_NTH_HALF}\.?"),
    _date_form(
        "Semestre 1, 2024", rf"(?:half|semestre|semester|semestr|halbjahr) ?{_TERM},?[ /-]+{_YEAR}"
    ),
    _date_form(
        "2024年上半年",
        rf"{_YEAR} ?[年년]? ?"
        "(?:(?P<half_one>[上前]半[年期]?|상반기)|(?P<half_two>[下后後]半[年期]?|하반기))",
    ),
    *HALVES_WITH_S,
    _date_form("2024-W05", f"{_YEAR}[- /]*w{_COUNTED}(?:-(?P<nth>[1-7]))?"),
    _date_form("2024W015", rf"{_YEAR}w(?P<week>\d{{2}})(?P<nth>[1-7])"),
    _date_form("2024 KW 5", f"{_YEAR}[- /]*{_WEEK}[ .]*{_COUNTED}"),
    _date_form("KW 5/2024", f"{_WEEK}[ .]*{_COUNTED}(?:[ ,/-]+{_YEAR}|[/-]{_SHORT})"),
    _date_form(
        "31 January 2024",
        rf"(?:le |el )?{_DAY}{_NTH}{_OF}{_NAME}[- ,./]+(?:del? )?{_YEAR_IN_WORDS}{_LAST_NAMED_DAY}",
    ),
    _date_form("January 31, 2024", f"{_NAME}[- ]{_DAY}{_NTH},? {_YEAR}{_LAST_NAMED_DAY}"),
    _date_form(
        "29 Jan - 4 Feb 2024",
        rf"{_DAY}{_NTH}(?:{_OF}{_NAME})?{_END_DAY}{_NTH}{_OF}{_END_NAME}[- ,./]+{_YEAR}",
    ),
    _date_form(
        "Jan 29 - Feb 4, 2024",
        rf"{_NAME}[- ]{_DAY}{_NTH}{_TO}(?:{_END_NAME}[- ])?(?P<end_day>\d{{1,2}}){_NTH},? {_YEAR}",
    ),
    _date_form(
        "29.01. - 04.02.2024",
        rf"{_DAY}\. ?{_MONTH}\.?{_END_DAY}\. ?(?P<end_month>\d{{1,2}})\. ?{_YEAR}",
    ),
    _date_form(  # of the command date, Java and Twitter
        "Wed Jan 31 12:00:00 UTC 2024",
        f"{_NAME} {_DAY} {_HH}:{_MI}:{_SS}(?:{_ZONE}|{_ZONE_NAME}) {_YEAR}",
        time="",
    ),
    _date_form(  # of web servers; of SAS without slashes
        "31/Jan/2024:12:00:00",
        rf"\[?{_DAY}/?{_NAME}/?{_YEAR}:{_HH}:{_MI}:{_SS}(?:\.0+)?{_ZONE}\]?",
        time="",
    ),
    _date_form("31JAN2024", rf"{_DD}(?P<name>[a-z]{{3}})(?:{_MODERN_YEAR}|{_SHORT})"),  # of SAS
    _date_form("January 2024", f"{_NAME}[- ,./]*(?:del? )?{_WHOLE_YEAR_IN_WORDS}"),
    _date_form("Jan-24", rf"{_NAME}(?:-|/| ?(?=['’])){_SHORT}"),
    _date_form("Jan 98", rf"{_NAME} (?P<short>3[2-9]|[4-9]\d)"),
    _date_form("2024 January", rf"{_YEAR}\.?[- /]?{_NAME}(?: {_DAY}\.?)?"),
    _date_form("2024. 1. 31.", rf"{_YEAR}\. ?{_MONTH}\.(?: ?{_DAY}\.?)?"),
    _date_form("Jan-Mar 2024", f"{_MONTHS}[- ,./]*{_WHOLE_YEAR_IN_WORDS}"),
    _date_form("Jan-Mar 24", rf"{_MONTHS}(?:[-/ ]| ?(?=['’])){_SHORT}"),
    _date_form("2024 Jan-Mar", f"{_YEAR}[- ,./]*{_MONTHS}"),
    _date_form(
        "31 tháng 1 năm 2024",
        f"(?:(?:ngay )?{_DAY} )?(?:thang|thg) ?{_MONTH}[ ,/.-]+(?:nam )?{_YEAR}",
    ),
    _date_form(
        "令和6年1月31日",
        rf"(?:(?P<era>令和|平成|昭和|民[國国]|[rhs]) ?{_NTH_YEAR}|{_ROC}) ?年"
        f"(?: ?{_MONTH} ?月(?: ?{_DAY} ?日)?)?",
    ),
    _date_form(
        "R6.1.31", rf"(?P<era>[rhs])(?P<nth_year>\d{{1,2}})(?P<mark>[./]){_MONTH}(?P=mark){_DAY}"
    ),
    _date_form(
        "2024年1月31日", rf"{_YEAR}(?: ?[年년] ?| |\. ?|-){_MONTH} ?[月월](?: ?{_DAY} ?[日일])?"
    ),
    _date_form("24년 1월 31일", rf"{_SHORT}년 ?{_MONTH} ?월(?: ?{_DAY} ?일)?"),
    _date_form("1月 2024", f"{_MONTH} ?[月월][ ,/-]*{_YEAR} ?[年년]?"),
    _date_form("2024 оны 1-р сар", f"{_YEAR}(?:-| ?оны? ){_MONTH}(?:-?р| дугаар| дүгээр)? сары?н?"),
    _date_form("2024年", f"{_MODERN_YEAR} ?[年년]"),
    _date_form("2024年第1期", f"{_YEAR} ?年(?:度)? ?第? ?{_MONTH} ?期"),
    _date_form("2024.01", rf"{_MODERN_YEAR}\.{_MM}", is_digits=True, time=""),
    _date_form(
        "2024 01", rf"{_MODERN_YEAR}(?:\.(?=\d\d ?\(?[a-z]\))|\. |(?P<gap> )){_MM}", time=""
    ),
    _date_form("01.2024", rf"{_LONG_MONTH}\.{_MODERN_YEAR}", is_digits=True, time=""),
    _date_form("20240131", f"{_MODERN_YEAR}{_MM}{_DD}", is_digits=True),
    _date_form(
        "20240131T1200",
        f"{_MODERN_YEAR}{_MM}{_DD}T?{_HH}(?:{_MI}{_SS}?)?",
        is_digits=True,
        time=_ZONE,
    ),
    _date_form("202401", f"{_MODERN_YEAR}{_MM}", is_digits=True),
    _date_form(
        "1706659200",
        r"(?P<epoch>\d{10})(?:(?P<fraction>\d{3}|\d{6}|\d{9})?(?:\.0+)?|\.(?P<decimals>\d{1,9}))",
        is_digits=True,
        time="",
    ),
    _date_form("2024", _LIKELY_YEAR, is_digits=True),
    _date_form("2024 (p)", f"{_MODERN_YEAR}{_FLAG}", is_digits=True, time=""),
)
YEARLESS_FORMS = (
    _date_form("KW 5", f"{_WEEK}[ .]*{_COUNTED}", time=""),
    _date_form("31 January", f"{_DAY}{_NTH}{_OF}{_NAME}"),
    _date_form("January 31", rf"{_NAME}(?:[- ]|(?<=\.)){_DAY}{_NTH}"),
    _date_form("31.01.", rf"{_DAY}\. ?{_MONTH}\."),
    _date_form("tháng 1", f"(?:thang|thg) ?{_MONTH}", time=""),
    _date_form("1月31日", f"{_MONTH} ?[月월](?: ?{_DAY} ?[日일])?"),
    _EITHER_YEARLESS,
    _date_form("January", _NAME),
)
_NEXT = r"[-–/](?P<next>\d{4}|\d{2})"
_FISCAL = rf"{FISCAL_PREFIX} ?(?:{_MODERN_YEAR}|{_SHORT})(?:{_NEXT})?"
_FISCAL_YEARS = (("FY24", _FISCAL), ("2024/25", f"{_MODERN_YEAR}{_NEXT}"))
_FISCAL_PARTS = (
    ("P01", r"(?:m|p|period|periode)[- ]?(?P<month>\d{1,3})"),
    ("Q1", r"q[- ]?(?P<quarter>[1-4])"),
)
# Periods of a fiscal year, whose first month is not said.
FISCAL_FORMS = (
    *(
        _date_form(f"{first} {second}", f"{before}[- /.:]*{after}", time="")
        for year in _FISCAL_YEARS
        for part in _FISCAL_PARTS
        for (first, before), (second, after) in ((year, part), (part, year))
    ),
    _date_form("FY24", _FISCAL, time=""),
)
# ``2019/20``: a year that begins within a calendar year.
SPLIT_YEAR_FORM = _date_form("2024/25", f"{_MODERN_YEAR}{_NEXT}", time="")
# ``Jan 24`` and ``1/24``: a year if the month changes from row to row, else a day.
SHORT_YEAR_FORMS = (
    _date_form("Jan 24", rf"{_NAME}(?: |(?<=\.)){_SHORT}"),
    _date_form("1/24", rf"{_MONTH}/(?P<short>1[3-9]|[2-9]\d)"),
)
# A period counted from a first one, with its unit before it.
COUNTED_FORM = _date_form(
    "month 3",
    r"(?P<nth_unit>nth )?(?P<unit>hour|day|week|month|period) (?P<count>\d{1,7})",
    time="",
)
SERIAL_FORM = _date_form("45322", r"(?P<serial>\d{5}(?:[.,]\d+)?)", is_digits=True, time="")
