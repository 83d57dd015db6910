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
/** From this step on, series of minutes are planned for a day, not an hour. */
const MIN_DAY_STEP_MINUTES = 10;
const DAY_MINUTES = 1440;
/** A horizon is no more than this fraction of the history. */
const MAX_HISTORY_FRACTION = 1 / 3;

/**
 * The horizon that fits a series.
 *
 * @param {string} frequency of the service
 * @param {number} length how many points the series has
 * @param {number} [step] between two points, in units of the frequency
 */
export function fittingHorizon(frequency, length, step = 1) {
  const isOfDay = frequency === "Minutes" && step >= MIN_DAY_STEP_MINUTES;
  const usual = isOfDay ? Math.ceil(DAY_MINUTES / step) : DEFAULT_HORIZONS[frequency];
  return Math.max(1, Math.min(usual, Math.floor(length * MAX_HISTORY_FRACTION)));
}
