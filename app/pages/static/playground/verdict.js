// What a backtest says about which model to take, in words.

import { percent, periods } from "./sentence.js";

export const NAIVE = "seasonal_naive";
const NAIVE_WORDS = "repeating the last season";
/** Errors that differ by less than this share of the smaller are equally good: more windows could turn them round. */
const TIE = 0.02;

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
  const tied = models.filter(({ mae }) => isTie(mae, models[0].mae));
  const names = list(tied.map(({ model_id: id }) => nameOf(id)));
  const best = tied.map(({ model_id: id }) => id);
  const share = usual > 0 ? `, ${percentRoughly(models[0].mae / usual)} of the usual value` : "";
  const off = `off by ${writeError(models[0].mae)} on average${share}`;
  const naiveOff = writeError(naive.mae);
  if (isTie(naive.mae, models[0].mae)) {
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
    "Off by: how far the forecasts lay from what came, on average, in the unit of your data, and in " +
    "percent of the usual value. Within: " +
    `how often what came lay in the interval, which should be ${percent(confidence)}. ` +
    `Seasonal naive is ${NAIVE_WORDS}: what a model must beat.`
  );
}

/** `5 past forecasts of 24 months each`. */
export function countWindows(count, length, step) {
  return count === 1
    ? `1 past forecast of ${periods(length, step)}`
    : `${count} past forecasts of ${periods(length, step)} each`;
}

export function percentRoughly(share) {
  return `${Number((100 * share).toPrecision(share < 0.1 ? 1 : 2))} %`;
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
