// What a backtest says about which model to take, in words.

import { percent, periods } from "./sentence.js";

export const NAIVE = "seasonal_naive";
const NAIVE_WORDS = "seasonal naive";
/** Errors that differ by less than this share of the smaller are equally good: more windows could turn them round. */
const TIE = 0.02;
/** Digits of a share in percent. */
const [MIN_DIGITS, MAX_DIGITS] = [2, 6];
/** A smaller share is 0: the rest is that of computing. */
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
 * @param {number} usual the usual size of a value, 0 where there is none
 * @returns {Verdict}
 */
export function judge(scores, nameOf, { writeError }, usual) {
  const naive = scores.find(({ model_id: id }) => id === NAIVE);
  const models = scores.filter((score) => score !== naive).sort((a, b) => a.mae - b.mae);
  // What is written alike is a tie too.
  const isTied = (one, other) => isTie(one, other) || writeError(one) === writeError(other);
  const tied = models.filter(({ mae }) => isTied(mae, models[0].mae));
  const names = list(tied.map(({ model_id: id }) => nameOf(id)));
  const best = tied.map(({ model_id: id }) => id);
  const share = usual > 0 ? `, ${percentRoughly(models[0].mae / usual)} of the mean value` : "";
  const off = `off by ${writeError(models[0].mae)} on average${share}`;
  const naiveOff = writeError(naive.mae);
  if (isTied(naive.mae, models[0].mae)) {
    const text = `No model is clearly better here than ${NAIVE_WORDS}: ${names} ${areOf(tied)} ` +
      `${off}, ${NAIVE_WORDS} by ${naiveOff}.`;
    return { text, best };
  }
  if (naive.mae < models[0].mae) {
    const text = `${capital(NAIVE_WORDS)} is better here than every model: it is off by ${naiveOff} ` +
      `on average, ${names} by ${writeError(models[0].mae)}.`;
    return { text, best: [NAIVE] };
  }
  const praise = tied.length > 1 ? "are equally good here" : "is the best here";
  return { text: `${names} ${praise}: ${off}. ${capital(NAIVE_WORDS)} is off by ${naiveOff}.`, best };
}

/** What the table's figures are. */
export function explain(confidence) {
  return (
    "Off by: the mean absolute error, in the unit of your data and in percent of the mean value. " +
    `Within: the share of actual values inside the interval, which should be ${percent(confidence)}. ` +
    "Seasonal naive repeats the last season: a model should beat it."
  );
}

/** `5 past forecasts of 24 months each`. */
export function countWindows(count, length, step) {
  return count === 1
    ? `1 past forecast of ${periods(length, step)}`
    : `${count} past forecasts of ${periods(length, step)} each`;
}

function percentRoughly(share, digits = MIN_DIGITS) {
  return `${share < NEGLIGIBLE ? 0 : Number((100 * share).toPrecision(digits))} %`;
}

/** Shares in percent: as many digits as tell apart those whose errors are `written` apart. */
export function percentsApart(shares, written) {
  let digits = MIN_DIGITS;
  const write = () => shares.map((share) => percentRoughly(share, digits));
  while (digits < MAX_DIGITS && new Set(write()).size < new Set(written).size) digits += 1;
  return write();
}

function isTie(one, other) {
  return one === other || Math.abs(one - other) < TIE * Math.min(one, other);
}

function areOf(tied) {
  return tied.length > 1 ? "are" : "is";
}

function list(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
