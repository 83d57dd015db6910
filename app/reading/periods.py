"""Whole weeks and months in place of shorter steps, as their totals or averages.

Errors of neighbouring days go together, so an interval of a week's total cannot be made from those
of its days. A series of weeks has intervals of its own.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from app.forecasting.calendar.fit import find_spacing
from app.forecasting.calendar.timestamps import TimeArray
from app.reading.grid import Settled, rounded
from app.reading.results import Choice, Per, Reading, Summary, WrongAnswerError

_DAY = 86_400
_FEWEST = 10  # periods, of which a forecast is made
_RULE = {Per.WEEK: "W-SUN", Per.MONTH: "M"}


def per_periods(series: list[tuple[Settled, Summary]], reading: Reading) -> list[Settled]:
    """Return the series of whole weeks or months, where that was answered; offer it if not.

    Those of which entries are missing stay as they are: a week without a day has no total.
    """
    per = reading.answers.per
    settled = [one for one, _ in series]
    reading.chosen["per"] = per
    whole = [one for one in settled if _is_whole(one)]
    if len(whole) == len(settled) and whole:
        _offer(whole[0], series[0][1], reading)
    if per is None:
        return settled
    if not any(_has_short_step(one) for one in settled):
        issue = f"the series has no step of a day or less, of which {per}s are made; leave it out"
        raise WrongAnswerError("per", issue)
    if len(whole) < len(settled):
        reading.say("per", f"A {per} needs every entry: choose first how missing ones are filled.")
        return settled
    found = [_summed(one, per, summary) for one, summary in series]
    _say(per, series, found, reading)
    return found


def _offer(one: Settled, summary: Summary, reading: Reading) -> None:
    """Offer weeks and months, where there are enough of them."""
    choices = []
    for per in Per:
        starts = _whole_periods(one, per)
        if starts.size >= _FEWEST:
            first = _summed(one, per, summary)
            example = f"that of {starts[0].astype('datetime64[D]')} is {first.values[0]:g}"
            choices.append(Choice(per, f"the {summary} of each {per}", example))
    if choices:
        periods = " or ".join(f"a {choice.value}" for choice in choices)
        text = f"To plan with the {summary} of {periods}, and its interval, forecast that instead."
        reading.ask("per", text, choices, required=False)


def _has_short_step(one: Settled) -> bool:
    """Whether a day is a whole number of steps."""
    if one.regular is None or one.times.size < 2:
        return False
    return _DAY % int(np.diff(one.times).astype(np.int64).min()) == 0


def _is_whole(one: Settled) -> bool:
    """Whether a series has every entry of a short step."""
    return _has_short_step(one) and bool(np.isin(one.missing, one.times).all())


def _periods(one: Settled, per: Per) -> pd.PeriodIndex:
    return pd.DatetimeIndex(one.times).to_period(_RULE[per])


def _whole_periods(one: Settled, per: Per) -> TimeArray:
    """Return the beginnings of the periods of which there is every entry."""
    periods = _periods(one, per)
    counts = pd.Series(1, index=periods).groupby(level=0).sum()
    step = int((one.times[1] - one.times[0]).astype(np.int64))
    starts = counts.index.to_timestamp(how="start")
    ends = (counts.index + 1).to_timestamp(how="start")
    due = (ends - starts).total_seconds().to_numpy() // step
    beginnings: TimeArray = starts[counts.to_numpy() == due].to_numpy().astype("datetime64[s]")
    return beginnings


def _summed(one: Settled, per: Per, summary: Summary) -> Settled:
    """Return the totals or averages of whole periods."""
    groups = pd.Series(one.values, index=_periods(one, per).to_timestamp(how="start")).groupby(
        level=0
    )
    all_periods = groups.sum() if summary is Summary.TOTAL else groups.mean()
    kept = all_periods.loc[_whole_periods(one, per)].map(rounded)
    if kept.size < 2:
        there = f"{kept.size} whole {per}{'s' * (kept.size != 1)}"
        issue = f"the table has {there}; leave it out, or send more"
        raise WrongAnswerError("per", issue)
    times = kept.index.to_numpy().astype("datetime64[s]")
    none = one.missing[:0]
    return replace(
        one,
        times=times,
        values=kept.to_numpy(),
        spacing=find_spacing(times),
        missing=none,
        missing_count=0,
        skipped=none,
    )


def _say(
    per: Per, series: list[tuple[Settled, Summary]], found: list[Settled], reading: Reading
) -> None:
    """Say what the values are now, and what was left out."""
    summaries = " or ".join(dict.fromkeys(str(summary) for _, summary in series))
    begins = ", which begins on Monday" if per is Per.WEEK else ""
    one, now = series[0][0], found[0]
    within = np.isin(_periods(one, per).to_timestamp(how="start").to_numpy(), now.times)
    left_out = int((~within).sum())
    text = f"Each value is the {summaries} of a {per}{begins}."
    if left_out:
        text += f" Left out: {left_out:,} points of {per}s that are not whole."
    reading.say("per", text)
