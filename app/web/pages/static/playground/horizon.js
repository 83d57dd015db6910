// The default horizon.

import { create, element } from "../dom.js";

/** Usual planning periods: a minute, an hour, two days, four weeks, half a year, one, two, five years. */
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
/** From this step on, series of minutes have a horizon of a day, not an hour. */
const MIN_DAY_STEP_MINUTES = 10;
const DAY_MINUTES = 1440;
/** If more than this fraction of the entries is missing, as of hours without work, the next day may have no values. */
const MAX_MISSING_FRACTION = 0.25;
/** The minutes of a unit, for frequencies with several points a day. */
const MINUTES = { Seconds: 1 / 60, Minutes: 1, Hours: 60 };
/** A horizon is no more than this fraction of the history. */
const MAX_HISTORY_FRACTION = 1 / 3;
/** Periods of a year; a horizon is whole years if the history has at least two. */
const YEARS = { Monthly: 12, Quarterly: 4 };
const MIN_YEARS = 2;

/** How many points a week has, for frequencies that have several a day; 0 for others. */
export function pointsOfWeek(frequency, step) {
  return Math.ceil((7 * DAY_MINUTES) / (MINUTES[frequency] * step)) || 0;
}

/**
 * The horizon that fits a series.
 *
 * @param {string} frequency of the service
 * @param {number} length how many points the series has
 * @param {{step?: number, missing?: number, max?: number}} series `step` between two points, in units of the
 *     frequency; how many entries are `missing`; `max` of the horizon
 */
export function fittingHorizon(frequency, length, { step = 1, missing = 0, max = Infinity } = {}) {
  const week = pointsOfWeek(frequency, step);
  const isMostlyOpen = missing <= MAX_MISSING_FRACTION * length;
  if (week && !isMostlyOpen && week <= Math.min(max, length * MAX_HISTORY_FRACTION)) return week;
  const isOfDay = frequency === "Minutes" && step >= MIN_DAY_STEP_MINUTES;
  const usual = isOfDay ? Math.ceil(DAY_MINUTES / step) : DEFAULT_HORIZONS[frequency];
  const year = length >= MIN_YEARS * YEARS[frequency] ? YEARS[frequency] : 1;
  const count = Math.floor(length * MAX_HISTORY_FRACTION);
  return Math.min(usual, Math.max(year, count - (count % year)));
}

/**
 * Offer a week below the periods where a day has several points, and say from where on intervals are not calibrated.
 *
 * @param {import("./reading.js").Reading} reading
 * @param {number} maxCalibrated
 */
export function showHorizonHint({ frequency, step }, maxCalibrated) {
  const input = element("horizon");
  const week = pointsOfWeek(frequency, step);
  const isOffered = week > 0 && week <= Number(input.max) && week !== input.valueAsNumber;
  const onclick = () => {
    input.value = week;
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
    input.focus();
  };
  const text = `A week: ${week} periods`;
  const button = create("button", { id: "week", type: "button", className: "link", onclick }, text);
  const isBeyond = !input.disabled && input.valueAsNumber > maxCalibrated;
  const warning = isBeyond ? `Intervals have been tested for the first ${maxCalibrated} periods.` : "";
  element("horizon-hint").replaceChildren(...(isOffered ? [button, ". "] : []), warning);
}
