"""The requests and responses shown to developers; numbers are rounded to one decimal."""

from app.api.examples import Examples

SPIKE = "Three weeks of daily values with a spike"
EXAMPLES = Examples(__package__)
ENTIRE = EXAMPLES.success("entire", SPIKE)
ENTIRE_1_0 = EXAMPLES.success("entire", SPIKE, "entire-1.0")
LAST = EXAMPLES.success("entire", SPIKE, "last")
LAST_1_0 = EXAMPLES.success("entire", SPIKE, "last-1.0")
CHANGE_POINT = EXAMPLES.success("changepoint", "Six weeks of daily values with a new level")
