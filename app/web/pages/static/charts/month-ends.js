// Draws the ends of months at the tick of their month, not at that of the next one, which is nearer.

const DAY_SECONDS = 86_400;
/** The format of a date under the pointer, by frequency. */
const HOVER_FORMATS = { Monthly: "%b %Y", Quarterly: "%b %Y", Yearly: "%Y" };

/** Return whether each date of a series is the last day of a month. */
export function areMonthEnds({ points }) {
  return points.every(({ seconds }) => new Date((seconds + DAY_SECONDS) * 1000).getUTCDate() === 1);
}

/**
 * How the dates of a series are drawn if all of them end a month.
 *
 * @param {{frequency: string|null, points: {seconds: number}[]}} reading
 * @returns {{axisMoment?: (moment: number) => number, hoverFormat?: string}} nothing for other dates
 */
export function axisOfMonthEnds({ frequency, points }) {
  if (!(frequency in HOVER_FORMATS) || !areMonthEnds({ points })) return {};
  const axisMoment = (moment) => {
    const date = new Date(moment);
    return Date.UTC(date.getUTCFullYear(), frequency === "Yearly" ? 0 : date.getUTCMonth());
  };
  return { axisMoment, hoverFormat: HOVER_FORMATS[frequency] };
}
