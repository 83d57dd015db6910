// A forecast in one sentence.

import { periodsOf } from "../words.js";

/** The columns of an interval, in the order that people read. */
export const BOUNDS = ["lower_bound", "median", "upper_bound"];

/**
 * What is forecast, in words: `Forecast for the next 24 months. July 2024: 18 (95 % between 15 and 22); June
 * 2026: 21 (95 % between 15 and 28).`
 *
 * There is no total: medians do not add up to the median of a sum, nor bounds to its bounds.
 *
 * @param {{response: object, name?: string}} forecast of POST /forecast, and its model: none where it is the only one
 * @param {import("./about.js").About} about
 * @param {number} confidence
 */
export function forecastSentence({ response, name }, about, confidence) {
  const { length } = response.median;
  const intervalAt = (index) => intervalText(response, index, about, `${about.figures.percent(confidence)} `);
  const title = `${name ? `${name}:` : "Forecast for the"} next ${periodsOf(length, about)}`;
  if (length === 1) return `${title}${name ? "" : ":"} ${intervalAt(0)}.`;
  const periodAt = (index) => about.namePeriod(response.forecast_timestamps[index]);
  const ends = [0, length - 1].map((index) => `${periodAt(index)}: ${intervalAt(index)}`);
  return `${title}. ${beginWithCapital(ends.join("; "))}.`;
}

/** The last period of a forecast: `June 2026: 21, between 15 and 28`. */
export function lastPeriodText(response, about) {
  const last = response.median.length - 1;
  const period = about.namePeriod(response.forecast_timestamps[last]);
  return `${beginWithCapital(period)}: ${intervalText(response, last, about)}`;
}

/** A text that may begin with `week of`; dates begin as in the table. */
function beginWithCapital(text) {
  return text.replace(/^week\b/, "Week");
}

/** `21, between 15 and 28`, with `confidence` before the bounds `21 (95 % between 15 and 28)`. */
function intervalText(response, index, about, confidence = "") {
  const [low, middle, high] = BOUNDS.map((bound) => about.figures.write(response[bound][index]));
  const interval = `${confidence}between ${low} and ${high}`;
  return confidence ? `${middle} (${interval})` : `${middle}, ${interval}`;
}
