// Why no series can be read from a text, and what to do about it.

import { isDate } from "./dates.js";
import { isHole, looksLikeNumber } from "./numbers.js";
import { monthOf } from "./month-names.js";

export const REMEDY = "Paste a date and a number in each line, such as 2024-01-31, 112.";
const IN_A_ROW = 3;
const PERIOD = /^(?:[qt][1-4]|(?:19|20)\d{2})$/i;
const TWO_NUMBERS = /\t|\d +[-+(.\d]/;
const SPACED_THOUSANDS = /^[^\t\d]*\d{1,3}(?: \d{3})+(?![ \t\d])/;
const JSON_START = /^\s*[[{]\s*(?:[{["]|$)/;

/**
 * @param {import("./table.js").Table} table
 * @returns {string}
 */
export function explainNoDates({ rows }, text) {
  if (JSON_START.test(text)) return `This is JSON. ${REMEDY}`;
  const across = rows.find(({ cells }) => cells.filter(isDate).length >= IN_A_ROW);
  const months = rows.find(({ cells }) => cells.filter(monthOf).length >= IN_A_ROW);
  if (across ?? months) {
    return (
      `The dates stand side by side in line ${(across ?? months).line}: put them into a column. ` +
      "In a spreadsheet, copy, then paste special with Transpose."
    );
  }
  return `No column of dates was found. ${REMEDY}`;
}

/** What is wrong with columns of values, such as months that stand side by side; null for nothing. */
export function explainColumns(columns) {
  const periods = columns.filter(({ name }) => monthOf(name) || PERIOD.test(name));
  if (columns.length === 0) return `No column of numbers was found beside the dates. ${REMEDY}`;
  const areAll = periods.length > 1 && periods.length === columns.length;
  if (periods.length < IN_A_ROW && !areAll) return null;
  return `${periods[0].name} to ${periods.at(-1).name} stand side by side. ${REMEDY}`;
}

/** The numbers of a text that has one in each line and no dates; null for any other text. */
export function numbersAlone(text) {
  const body = text
    .split("\n")
    .map((content, index) => ({ line: index + 1, cells: [content.trim()] }))
    .filter(({ cells }) => cells[0] !== "");
  const isNumber = ({ cells: [cell] }) =>
    looksLikeNumber(cell) && (!TWO_NUMBERS.test(cell) || SPACED_THOUSANDS.test(cell));
  const name = body.length > 1 && !isNumber(body[0]) ? body.shift().cells[0] : "";
  const isColumn = body.every((row) => isNumber(row) || isHole(row.cells[0]));
  if (name.includes(",") || body.length < 2 || !isColumn) return null;
  return body.some(isNumber) ? { body, name } : null;
}
