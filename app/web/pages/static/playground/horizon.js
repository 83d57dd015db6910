// How far to forecast, unless told otherwise.

/** What people plan for: a minute, an hour, two days, four weeks, half a year, one, two, five. */
const DEFAULT_HORIZONS = {
  Seconds: 60,
  Minutes: 60,
  Hours: 48,
  Daily: 28,
  Weekly: 26,
  Monthly: 12,
  Quarterly: 8,
  Yearly: 5,
};
/** A horizon is no more than this fraction of the history. */
const MAX_HISTORY_FRACTION = 1 / 3;

/**
 * The horizon that fits a series.
 *
 * @param {string} frequency of the service
 * @param {number} length how many points the series has
 */
export function fittingHorizon(frequency, length) {
  return Math.max(1, Math.min(DEFAULT_HORIZONS[frequency], Math.floor(length * MAX_HISTORY_FRACTION)));
}
