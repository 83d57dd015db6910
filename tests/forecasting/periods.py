"""The seasonal periods of series of each frequency, in the tests of forecasts."""

from app.timeseries.calendar.frequency import Frequency

PERIODS = {
    Frequency.SECONDS: (60,),
    Frequency.MINUTES: (60, 1_440),
    Frequency.HOURS: (24, 168),
    Frequency.DAILY: (7, 365),
    Frequency.WEEKLY: (52,),
    Frequency.MONTHLY: (12,),
    Frequency.QUARTERLY: (4,),
    Frequency.YEARLY: (),
}
