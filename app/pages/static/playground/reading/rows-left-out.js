// Why a row is left out of a series.

import { isHole } from "./numbers.js";

const TOTAL = new RegExp(
  "^(?:(?:grand |sub-?)?totals?|sum|average|mean|summe|gesamt|insgesamt|mittelwert|" +
    String.raw`somme|moyenne|suma|promedio)\b`,
  "i",
);
const LONGEST = 30;

/**
 * @typedef {object} Defect
 * @property {number} line
 * @property {string} why
 * @property {number|null} seconds of its date, where that is one
 * @property {boolean} isExpected for totals and notes, which tables have: nothing is to be done
 */

/**
 * What is wrong with a row: null for nothing, "no value" for a hole, or why it is left out.
 *
 * @returns {null|"no value"|{why: string, isExpected: boolean}}
 */
export function defectOf({ date, moment, isTooCoarse, cell, number, row, isBehind }) {
  const expected = (why) => ({ why, isExpected: true });
  const wrong = (why) => ({ why, isExpected: false });
  if (row.some((each) => TOTAL.test(each)) && !moment) return expected("a total");
  if (moment === null && isBehind && number === null) return expected("a note");
  if (date === "") return wrong("no date");
  if (moment === null) return wrong(`“${shorten(date)}” is not a date`);
  if (isTooCoarse) return wrong(`“${shorten(date)}” is a longer period than the other dates: a total?`);
  if (number !== null) return null;
  return isHole(cell) ? "no value" : wrong(`“${shorten(cell)}” is not a number`);
}

function shorten(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
