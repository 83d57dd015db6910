// What the service read from a table, as the page uses it.

import { dateWriter } from "./date-writer.js";
import { toMoment } from "../charts/traces.js";

/** The choice that adds all series up. */
export const ALL = "*";
/** Forms of dates without a mark between their parts: 45292, 1704067200, 20240101. */
const NUMBERS = /^(\{\w+:\d+\})+$/;
const UNNAMED = /^Column \d+$/;
const SUFFIX_AT = 19;
const FILL = "Choose below how to fill missing entries.";
const ELSEWHERE = "under “Dates and values” first.";
const TOO_MANY = "Too many entries are missing.";

/**
 * @typedef {object} Point
 * @property {number} seconds civil time
 * @property {string} suffix nothing, Z or an offset
 * @property {number} value
 *
 * @typedef {object} Reading
 * @property {string|null} problem why nothing can be sent
 * @property {string|null} asks the parameter whose question has to be answered first
 * @property {object[]} questions of POST /read
 * @property {object[]} remarks of POST /read
 * @property {Record<string, any>} chosen of POST /read
 * @property {string[]} names of all series
 * @property {string} name of the one that is shown
 * @property {Point[]} points of it, with those that were filled in
 * @property {number[]} missing seconds of the entries that the table lacks
 * @property {boolean} isFilled
 * @property {string|null} frequency null for an irregular series
 * @property {number|null} step
 * @property {string} dateName header of the column of dates, or ""
 * @property {string} valueName header of the column of values, or ""
 * @property {"."|","} mark before decimals
 * @property {string} delimiter of cells
 * @property {number} decimals digits after the decimal mark that the values have
 * @property {string} unitBefore the text before the values, such as "€", or ""
 * @property {string} unitAfter the text after them, such as "%", or ""
 * @property {(timestamp: string) => string} writeDate as the dates of the table are written
 * @property {boolean} hasDatesAsNumbers such as serial numbers, which people do not read
 */

/** @type {Reading} */
export const NOTHING = {
  problem: null, asks: null, questions: [], remarks: [], chosen: {}, names: [], name: "", points: [], missing: [],
  isFilled: false, frequency: null, step: null, dateName: "", valueName: "", mark: ".",
  delimiter: ",", decimals: 0, unitBefore: "", unitAfter: "", writeDate: (timestamp) => timestamp,
  hasDatesAsNumbers: false,
};

/**
 * @param {object} body of POST /read
 * @param {string} wanted name of the series to show; another one where there is none of this name
 * @returns {Reading}
 */
export function parseReading({ series, chosen, questions, remarks }, wanted) {
  const names = series.map(({ name }) => name);
  const all = { ...NOTHING, questions, remarks, chosen, names, delimiter: chosen.delimiter ?? "," };
  const open = questions.filter(({ required }) => required);
  if (open.length > 0) return { ...all, problem: `Answer the ${nounOf(open)} below.`, asks: open[0].parameter };
  // The likeliest column is the first choice of the question about them.
  const likely = questions.find(({ parameter }) => parameter === "columns")?.choices[0].value;
  const index = [wanted, likely, names[0]].map((name) => names.indexOf(name)).find((i) => i >= 0);
  const { name, timestamps, values, missing, ...interval } = series[index];
  const form = chosen.number_forms[index];
  const secondsOf = (timestamp) => toMoment(timestamp) / 1000;
  const [column] = chosen.layout === "long" ? chosen.columns : [name];
  const canFill = questions.some(({ parameter }) => parameter === "fill");
  const isFilled = canFill && chosen.fill !== null && missing.length > 0;
  const hasStrays = canFill && chosen.fill === null && !interval.data_frequency;
  const isOpen = hasStrays || (missing.length > 0 && !isFilled);
  return {
    ...all, name, isFilled,
    problem: isOpen ? canFill ? FILL : TOO_MANY : null,
    asks: isOpen && canFill ? "fill" : null,
    points: timestamps.map((timestamp, i) => ({
      seconds: secondsOf(timestamp), suffix: timestamp.slice(SUFFIX_AT), value: values[i],
    })),
    missing: missing.map(secondsOf),
    frequency: interval.data_frequency,
    step: interval.step,
    dateName: nameOf(chosen.dates ?? ""),
    valueName: nameOf(column),
    mark: form.decimal === "comma" ? "," : ".",
    decimals: form.decimals, unitBefore: form.before, unitAfter: form.after,
    writeDate: dateWriter(chosen.date_form),
    hasDatesAsNumbers: NUMBERS.test(chosen.date_form?.pattern),
  };
}

/** The header of a column, "" where the service numbered it. */
function nameOf(column) {
  return UNNAMED.test(column) ? "" : column;
}

/**
 * Keep the question how values are combined, which the service no longer asks about what is combined.
 *
 * @param {object} body of POST /read
 * @param {object|null} asked the question that was answered
 * @returns {object} the body with it
 */
export function withAnsweredPer(body, asked) {
  const offers = (question) => question?.choices.some(({ value }) => value === body.chosen.per);
  const isAsked = body.questions.some((question) => question.parameter === "per" && offers(question));
  if (!body.chosen.per || isAsked || !offers(asked)) return body;
  const others = body.questions.filter(({ parameter }) => parameter !== "per");
  return { ...body, questions: [{ ...asked, required: false, isAnswered: true }, ...others] };
}

/** What the values of a combined series are: `Values are the total of each day.`, "" for those of the table. */
export function combinedText({ questions, chosen }) {
  const per = questions.find(({ parameter }) => parameter === "per");
  const choice = per?.choices.find(({ value }) => value === chosen.per);
  return choice && choice.value !== "none" ? `Values are ${choice.meaning}.` : "";
}

/** The problem of a reading, where what it asks is not below: `Answer the question under “Dates and values” first.` */
export function problemElsewhere({ problem, asks, questions }) {
  if (asks === "fill") return `Choose how to fill missing entries ${ELSEWHERE}`;
  if (asks) return `Answer the ${nounOf(questions.filter(({ required }) => required))} ${ELSEWHERE}`;
  return problem && `Give a series that can be sent ${ELSEWHERE}`;
}

function nounOf(questions) {
  return questions.length === 1 ? "question" : "questions";
}
