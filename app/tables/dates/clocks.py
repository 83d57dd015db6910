"""The forms of times of day, for cells normalized by ``fold_text``."""

import re

# Words for the two halves of a day, before or after the hour.
HALVES = (
    *(("오전", "오후"), ("上午", "下午"), ("午前", "午後")),
    *(("πμ", "μμ"), ("π.μ.", "μ.μ."), ("ص", "م")),
)
SECOND_HALVES = {second for _, second in HALVES}
_AT = "at|klo|kl|um|om|ob|a|alle|ore|os|o|в|о"  # between a date and a time
_HALF = "|".join(re.escape(word) for pair in HALVES for word in pair)
# A point is a mark of times in Finland, Denmark and Italy; a number next to a date looks like it.
_MINUTE = (
    r"(?::|h|(?P<point>\.)| ?[時时點点시] ?)(?P<minute>\d{2})(?: ?[分분])?"
    r"(?:[:.](?P<second>\d{2})(?:[.,]\d+)?)?"
)
CLOCK = (
    rf"(?:(?P<half_before>{_HALF}) ?)?(?P<hour>\d{{1,2}})"
    rf"(?:{_MINUTE}| ?[時时點点시]|(?= ?[ap]\.? ?m))"
    rf"(?: ?(?P<half>[ap])\.? ?m\.?| ?(?P<half_word>{_HALF}))?"
)
BEFORE_CLOCK = rf"(?:T|,? +(?:(?:{_AT})\.? )?|(?<=[日일]))"
_BARE = rf"(?:(?:{_HALF}) ?)?\d{{1,2}}(?::|h)\d{{2}}(?::\d{{2}})?(?: ?(?:[ap]\.?m\.?|{_HALF}))?"
TIME_OF_DAY = re.compile(
    rf"{_BARE}(?: ?[-–] ?{_BARE})?|\d{{1,2}} ?(?:[ap]\.?m\.?|[時时시])", re.ASCII | re.IGNORECASE
)
# The end of an interval; after a date, one without spaces looks like the offset of a time zone.
END_OF_INTERVAL = re.compile(r"(?<=\d)[-–](\d{1,2}:\d{2})$", re.ASCII)
HAS_CLOCK = re.compile(
    r"\d(?:[:h]\d{2}| ?[ap]\.?m\b| ?[時时點点시])|\d{2} (?:[^\W\d_]{1,4}\.? )?\d{1,2}\.\d{2}$",
    re.IGNORECASE,
)
