// The service's reading of a table, in the form that the page uses.

import { dateWriter } from "./date-writer.js";
import { offerEnd } from "./end-choices.js";
import { localClock } from "./local-times.js";
import { toMoment } from "../charts/traces.js";

/** The choice that adds all series up. */
export const ALL_SERIES = "*";
/** Forms of dates without a mark between their parts: 45292, 1704067200, 20240101. */
const NUMBERS = /^(\{\w+:\d+\})+$/;
const ANSWERS_KEPT = new Set(["per", "timezone", "until"]);
/** The literal texts of a number format, its digits, and its decimals. */
const TEXTS = /"[^"]*"|\\.|\[[^\]]*\]/g;
const DIGIT = /[0#?]/;
const DECIMALS = /\.([0#?]+)/;
const UNNAMED = /^Column \d+$/;
const FILL = "Choose first how to fill missing values.";
const TOO_MANY = "Too many values are missing.";
const UNFINISHED = "Say first whether the last values count.";

/**
 * @typedef {object} PointLabels
 * @property {string} timestamp by the clock of the table
 * @property {string} sent the timestamp that the service knows it by
 *
 * @typedef {import("../charts/traces.js").DrawnPoint & PointLabels} Point
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
 * @property {string} grouping the mark between thousands, "" where none is seen
 * @property {number} decimals digits after the decimal mark that the values have
 * @property {string} unitBefore the text before the values, such as "€", or ""
 * @property {string} unitAfter the text after them, such as "%", or ""
 * @property {((timestamp: string) => string)|null} clock for timestamps in UTC; null: they are shown as they came
 * @property {(value: number) => number} scale a value of the table as it is shown: percentages of a workbook are stored
 *     as 0.948
 * @property {(timestamp: string) => string} writeDate as the dates of the table are written
 * @property {boolean} hasDatesAsNumbers such as serial numbers, which people do not read
 */

/** @type {Reading} */
export const NO_READING = {
  problem: null, asks: null, questions: [], remarks: [], chosen: {}, names: [], name: "", points: [], missing: [],
  isFilled: false, frequency: null, step: null, dateName: "", valueName: "", mark: ".", grouping: "",
  delimiter: ",", decimals: 0, unitBefore: "", unitAfter: "", clock: null, scale: (value) => value,
  writeDate: (timestamp) => timestamp,
  hasDatesAsNumbers: false,
};

/**
 * @param {object} body of POST /read
 * @param {string} wanted name of the series to show; another one where there is none of this name
 * @returns {Reading}
 */
export function parseReading({ series, chosen, questions, remarks }, wanted) {
  const names = series.map(({ name }) => name);
  const all = { ...NO_READING, questions, remarks, chosen, names, delimiter: chosen.delimiter ?? "," };
  const open = questions.filter(({ required }) => required);
  if (open.length > 0) {
    const problem = `Answer the ${open.length === 1 ? "question" : "questions"} first.`;
    return { ...all, problem, asks: open[0].parameter };
  }
  const index = indexOfShown(names, wanted, questions);
  const { name, timestamps, values, missing, data_frequency: frequency, step } = series[index];
  const form = numberForm(chosen.number_forms[index]);
  const clock = localClock(chosen);
  const localTime = (timestamp) => clock?.(timestamp) ?? timestamp;
  const secondsOf = (timestamp) => toMoment(timestamp) / 1000;
  const [column] = chosen.layout === "long" ? chosen.columns : [name];
  return {
    ...all, name, frequency, step, clock, ...form,
    ...findProblem(series[index], chosen, questions),
    points: timestamps.map((sent, i) => {
      const timestamp = localTime(sent);
      return { seconds: secondsOf(timestamp), timestamp, sent, value: form.scale(values[i]) };
    }),
    missing: missing.map((timestamp) => secondsOf(localTime(timestamp))),
    dateName: headerName(chosen.dates ?? ""),
    valueName: headerName(column),
    writeDate: dateWriter(chosen.date_form),
    hasDatesAsNumbers: NUMBERS.test(chosen.date_form?.pattern),
  };
}

/** The index of the wanted series; else of the likeliest column, the first choice of the question about columns. */
function indexOfShown(names, wanted, questions) {
  const likeliest = questions.find(({ parameter }) => parameter === "columns")?.choices[0].value;
  return [wanted, likeliest, names[0]].map((name) => names.indexOf(name)).find((index) => index >= 0);
}

/** Whether the missing values of a series were filled; why it cannot be sent, and what answers that. */
function findProblem({ missing, data_frequency: frequency }, chosen, questions) {
  const canFill = questions.some(({ parameter }) => parameter === "fill");
  const isFilled = canFill && chosen.fill !== null && missing.length > 0;
  const hasDatesBetween = canFill && chosen.fill === null && !frequency;
  if (hasDatesBetween || (missing.length > 0 && !isFilled)) {
    return { isFilled, problem: canFill ? FILL : TOO_MANY, asks: canFill ? "fill" : null };
  }
  return { isFilled, ...(questions.some(({ isHeld }) => isHeld) && { problem: UNFINISHED, asks: "until" }) };
}

/** The number format; percentages of workbooks, stored as 0.948, are shown as 94.8 %. */
function numberForm({ decimal, decimals, before, after, grouping, number_format: format }) {
  const code = format.split(";")[0].replace(TEXTS, "");
  const isPercent = code.includes("%");
  return {
    scale: (value) => (isPercent ? Number((value * 100).toPrecision(15)) : value),
    mark: /** @type {"."|","} */ (decimal === "comma" ? "," : "."),
    decimals: DIGIT.test(code) ? DECIMALS.exec(code)?.[1].length ?? 0 : decimals,
    unitBefore: before, unitAfter: isPercent ? "%" : after, grouping,
  };
}

/** The header of a column, "" where the service numbered it. */
function headerName(column) {
  return UNNAMED.test(column) ? "" : column;
}

/**
 * Keep answered questions about aggregation, time zone and end, so that the answer can be changed.
 * A person must also say whether an unfinished month counts; it counts in the request of a client that
 * does not say so.
 *
 * @param {object} body of POST /read
 * @param {object[]} asked the questions of the reading before
 * @param {Record<string, string>} given the answers that it was read with
 * @returns {object} the body with those of them that it answers
 */
export function keepAnsweredQuestions(body, asked, given) {
  const answers = ({ parameter, choices }) => choices.some(({ value }) => value === body.chosen[parameter]);
  const isOpen = (name) => body.questions.some((question) => question.parameter === name && answers(question));
  const kept = asked
    .filter((question) => ANSWERS_KEPT.has(question.parameter) && answers(question) && !isOpen(question.parameter))
    .map((question) => ({
      ...question,
      required: false,
      isHeld: false,
      wasRequired: question.required || question.isHeld || question.wasRequired,
    }));
  const others = body.questions
    .filter(({ parameter }) => !kept.some((question) => question.parameter === parameter))
    .map((question) => ({ ...question, isHeld: question.parameter === "until" && !question.required && !given.until }));
  return { ...body, questions: offerEnd([...kept, ...others], body.remarks) };
}

/** What the values of a combined series are: `Values are the total of each day.`, "" for those of the table. */
export function combinedText({ questions, chosen }) {
  const per = questions.find(({ parameter }) => parameter === "per");
  const choice = per?.choices.find(({ value }) => value === chosen.per);
  return choice && choice.value !== "none" ? `Values are ${choice.meaning}.` : "";
}

/** The problem of a reading, for a place away from the table. */
export function problemElsewhere({ problem, asks }) {
  return asks ? problem : problem && "Give a series that can be sent under “Dates and values” first.";
}
