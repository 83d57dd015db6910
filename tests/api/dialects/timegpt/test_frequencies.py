"""Every frequency of pandas and polars that the SDK sends has a recipe and seasonal periods."""

import pandas as pd
import pytest

from app.api.dialects.timegpt.frequencies import ParsedFrequency, parse_frequency
from app.timeseries.calendar.frequency import Frequency

STEPS = {
    "MS": ParsedFrequency(Frequency.MONTHLY, (12,)),
    "1MS": ParsedFrequency(Frequency.MONTHLY, (12,)),  # polars' 1mo, as the SDK sends it
    "3MS": ParsedFrequency(Frequency.QUARTERLY, (4,)),
    "mo": ParsedFrequency(Frequency.MONTHLY, (12,)),
    "QS-OCT": ParsedFrequency(Frequency.QUARTERLY, (4,)),
    "1q": ParsedFrequency(Frequency.QUARTERLY, (4,)),
    "YE-DEC": ParsedFrequency(Frequency.YEARLY, ()),
    "W-SUN": ParsedFrequency(Frequency.WEEKLY, (52,), 604_800),
    "7D": ParsedFrequency(Frequency.WEEKLY, (52,), 604_800),
    "1d": ParsedFrequency(Frequency.DAILY, (7, 365), 86_400),
    "B": ParsedFrequency(Frequency.DAILY, (5, 260)),
    "h": ParsedFrequency(Frequency.HOURS, (24, 168), 3_600),
    "60min": ParsedFrequency(Frequency.HOURS, (24, 168), 3_600),
    "15T": ParsedFrequency(Frequency.MINUTES, (96, 672), 900),
    "1m": ParsedFrequency(Frequency.MINUTES, (1440, 10080), 60),
    "s": ParsedFrequency(Frequency.SECONDS, (60, 3600), 1),
    "cbh": ParsedFrequency(Frequency.HOURS, ()),
    "SMS": ParsedFrequency(Frequency.WEEKLY, (24,)),
    "2SM": ParsedFrequency(Frequency.WEEKLY, ()),
    "250ms": ParsedFrequency(Frequency.SECONDS, ()),
}


@pytest.mark.parametrize("sent", STEPS)
def test_a_frequency_has_its_recipe_its_seasons_and_its_step(sent: str) -> None:
    assert parse_frequency(sent) == STEPS[sent]


@pytest.mark.parametrize(
    "sent",
    ["", "1d12h", "-1D", "0D", "10000D", "<DateOffset: months=2>", "fortnight", "Ms", "W SUN"],
)
def test_other_strings_are_not_frequencies(sent: str) -> None:
    assert parse_frequency(sent) is None


def test_every_frequency_of_pandas_is_known() -> None:
    offsets = [
        pd.offsets.MonthEnd(), pd.offsets.MonthBegin(), pd.offsets.BMonthEnd(),
        pd.offsets.QuarterEnd(), pd.offsets.QuarterBegin(), pd.offsets.BQuarterEnd(),
        pd.offsets.YearEnd(), pd.offsets.YearBegin(), pd.offsets.BYearBegin(),
        pd.offsets.Week(weekday=3), pd.offsets.Day(3), pd.offsets.BDay(), pd.offsets.CDay(),
        pd.offsets.Hour(6), pd.offsets.BusinessHour(), pd.offsets.Minute(5),
        pd.offsets.Second(10), pd.offsets.Milli(), pd.offsets.Micro(), pd.offsets.Nano(),
        pd.offsets.SemiMonthEnd(), pd.offsets.SemiMonthBegin(),
    ]  # fmt: skip
    unknown = [offset.freqstr for offset in offsets if parse_frequency(offset.freqstr) is None]
    assert unknown == []
