// The verdict of a backtest: which model to use.

import { capitalize, countOf, periodsOf } from "../words.js";

export const NAIVE = "seasonal_naive";
const NAIVE_WORDS = "seasonal naive";
/** Errors that differ by less than this fraction of the smaller are a tie: more windows could reverse them. */
const TIE = 0.02;
/** Digits of a percentage. */
const [MIN_DIGITS, MAX_DIGITS] = [2, 6];
/** A smaller fraction is a rounding error. */
const NEGLIGIBLE = 1e-9;

/**
 * @typedef {object} Verdict
 * @property {string} text
 * @property {string[]} best ids of the models that are equally good, the best first; the naive one
 *     where it wins
 */

/**
 * @param {object[]} scores `models` of POST /backtest
 * @param {(model: string) => string} nameOf
 * @param {import("./figures.js").Figures} figures
 * @param {number} meanSize of the values, 0 where there are none
 * @param {number} count of past forecasts: one shows no best model
 * @returns {Verdict}
 */
export function compareModels(scores, nameOf, { writeError, percent }, meanSize, count = 2) {
  const naive = scores.find(({ model_id: id }) => id === NAIVE);
  const models = scores.filter((score) => score !== naive).sort((a, b) => a.mae - b.mae);
  // Errors with the same text are a tie, too.
  const isTied = (a, b) => isTie(a, b) || writeError(a) === writeError(b);
  const tied = models.filter(({ mae }) => isTied(mae, models[0].mae));
  const names = joinNames(tied.map(({ model_id: id }) => nameOf(id)));
  const best = tied.map(({ model_id: id }) => id);
  const share = meanSize > 0 ? `, ${percentRoughly(models[0].mae / meanSize, percent)} of the mean value` : "";
  const off = `off by ${writeError(models[0].mae)} on average${share}`;
  const naiveOff = writeError(naive.mae);
  if (isTied(naive.mae, models[0].mae)) {
    const text = `No model is clearly better here than ${NAIVE_WORDS}: ${names} ${pluralVerb(tied)} ` +
      `${off}, ${NAIVE_WORDS} by ${naiveOff}.`;
    return { text, best };
  }
  if (naive.mae < models[0].mae) {
    const better = count === 1 ? "came closer" : "is better here";
    const text = `${capitalize(NAIVE_WORDS)} ${better} than every model: it is off by ${naiveOff} ` +
      `on average, ${names} by ${writeError(models[0].mae)}.`;
    return { text, best: [NAIVE] };
  }
  const praises = count === 1
    ? { single: "came closest", several: "came equally close" }
    : { single: "is the best here", several: "are equally good here" };
  const praise = tied.length > 1 ? praises.several : praises.single;
  return { text: `${names} ${praise}: ${off}. ${capitalize(NAIVE_WORDS)} is off by ${naiveOff}.`, best };
}

/** The explanation of the table's columns. */
export function explainColumns(confidence, { percent }) {
  return (
    "Off by: the mean absolute error, in the unit of your data and in percent of the mean value. " +
    `Within: the share of actual values inside the interval, which should be ${percent(confidence)}. ` +
    "Seasonal naive repeats the last season: a model should beat it. " +
    "Window: a part of your data that is forecast from what came before it."
  );
}

/** `5 past forecasts of 24 months each`. */
export function pastForecastsText(count, length, format) {
  const suffix = count === 1 ? "" : " each";
  return `${countOf(count, "past forecast")} of ${periodsOf(length, format)}${suffix}`;
}

function percentRoughly(fraction, percent, digits = MIN_DIGITS) {
  return percent(fraction < NEGLIGIBLE ? 0 : fraction, digits);
}

/** Fractions in percent: as many digits as distinguish those whose errors are `written` apart. */
export function percentsApart(fractions, written, { percent }) {
  let digits = MIN_DIGITS;
  const write = () => fractions.map((fraction) => percentRoughly(fraction, percent, digits));
  while (digits < MAX_DIGITS && new Set(write()).size < new Set(written).size) digits += 1;
  return write();
}

function isTie(a, b) {
  return a === b || Math.abs(a - b) < TIE * Math.min(a, b);
}

function pluralVerb(tied) {
  return tied.length > 1 ? "are" : "is";
}

function joinNames(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
}
