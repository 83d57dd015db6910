// How far to forecast, unless told otherwise.

/** What people plan for: a minute, an hour, two days, four weeks, half a year, one, two, five. */
const USUAL = {
  Seconds: 60,
  Minutes: 60,
  Hours: 48,
  Daily: 28,
  Weekly: 26,
  Monthly: 12,
  Quarterly: 8,
  Yearly: 5,
};
/** No more than this share of the history. */
const SHARE = 1 / 3;

/**
 * The horizon that fits a series.
 *
 * @param {string} frequency of the service
 * @param {number} length how many points the series has
 */
export function fittingHorizon(frequency, length) {
  return Math.max(1, Math.min(USUAL[frequency], Math.floor(length * SHARE)));
}
