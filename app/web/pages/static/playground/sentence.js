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
 * @param {import("./series-format.js").SeriesFormat} format
 * @param {number} confidence
 */
export function forecastSentence({ response, name }, format, confidence) {
  const { length } = response.median;
  const intervalAt = (index) => intervalText(response, index, format, `${format.figures.percent(confidence)} `);
  const title = `${name ? `${name}:` : "Forecast for the"} next ${periodsOf(length, format)}`;
  if (length === 1) return `${title}${name ? "" : ":"} ${intervalAt(0)}.`;
  const periodAt = (index) => format.namePeriod(response.forecast_timestamps[index]);
  const ends = [0, length - 1].map((index) => `${periodAt(index)}: ${intervalAt(index)}`);
  return `${title}. ${beginWithCapital(ends.join("; "))}.`;
}

/** The last period of a forecast: `June 2026: 21, between 15 and 28`. */
export function lastPeriodText(response, format) {
  const last = response.median.length - 1;
  const period = format.namePeriod(response.forecast_timestamps[last]);
  return `${beginWithCapital(period)}: ${intervalText(response, last, format)}`;
}

/** A text that may begin with `week of`; dates begin as in the table. */
function beginWithCapital(text) {
  return text.replace(/^week\b/, "Week");
}

/** `21, between 15 and 28`, with `confidence` before the bounds `21 (95 % between 15 and 28)`. */
function intervalText(response, index, format, confidence = "") {
  const [low, middle, high] = BOUNDS.map((bound) => format.figures.write(response[bound][index]));
  const interval = `${confidence}between ${low} and ${high}`;
  return confidence ? `${middle} (${interval})` : `${middle}, ${interval}`;
}
