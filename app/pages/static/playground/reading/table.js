// Text to a table: what separates the cells, and which rows do not look like data.

import { parseRows } from "./csv.js";
import { isDate } from "./dates.js";

const DELIMITERS = ["\t", ";", "|", ","];
const SPACES = " ";
const SAMPLE_LINES = 30;
const LONGEST_DATE = 6; // words
const COMMENT = /^(?:#(?!N\/?A|REF|DIV|VALUE|NAME|NUM|NULL)|\/\/|--\s)/i;
const RULE = /^[\s:+|=-]*[-=]{3,}[\s:+|=-]*$/;

/**
 * @typedef {object} Table
 * @property {import("./csv.js").Row[]} rows without comments and rules
 * @property {string} delimiter
 */

/**
 * Read a table: CSV with any delimiter, Markdown, or columns of spaces.
 *
 * @param {string} text
 * @returns {Table}
 */
export function readTable(text) {
  const plain = text.replace(/^\ufeff/, "");
  const delimiter = findDelimiter(plain);
  return { rows: rowsOf(plain, delimiter), delimiter };
}

/**
 * Find what separates cells: the first delimiter that leaves dates in cells of their own.
 *
 * The comma comes late: where another one stands, commas are decimal marks.
 */
function findDelimiter(text) {
  const sample = text.split("\n", SAMPLE_LINES).join("\n");
  const candidates = [...DELIMITERS, SPACES].map((delimiter) => {
    const rows = rowsOf(sample, delimiter);
    const split = rows.filter(({ cells }) => cells.length > 1);
    const isMost = 2 * split.length > rows.length;
    const dated = split.filter(({ cells }) => cells.some(isDate));
    return { delimiter, isMost, hasDates: isMost && 2 * dated.length > split.length };
  });
  const found = candidates.find(({ hasDates }) => hasDates) ?? candidates.find(({ isMost }) => isMost);
  return found?.delimiter ?? ",";
}

function rowsOf(text, delimiter) {
  const rows = delimiter === SPACES ? splitBySpaces(text) : parseRows(text, delimiter);
  const data = rows.filter(({ cells }) => !isDecoration(cells, delimiter));
  return delimiter === "|" ? withoutFrame(data) : data;
}

function isDecoration(cells, delimiter) {
  if (COMMENT.test(cells[0])) return true;
  return cells.every((cell) => cell === "" || /^[:+=-]+$/.test(cell)) && RULE.test(cells.join(delimiter));
}

/** Markdown has a bar at both ends of a row. */
function withoutFrame(rows) {
  const isFramed = rows.every(({ cells }) => cells[0] === "" || cells.length === 1);
  if (!isFramed) return rows;
  return rows.map(({ line, cells }) => ({
    line,
    cells: cells.length === 1 ? cells : cells.slice(1, cells.at(-1) === "" ? -1 : undefined),
  }));
}

/** Columns that spaces separate: a date may have spaces itself. */
function splitBySpaces(text) {
  return text
    .split("\n")
    .map((content, index) => ({ line: index + 1, cells: wordsOf(content.trim()) }))
    .filter(({ cells }) => cells.length > 0);
}

function wordsOf(content) {
  if (content === "") return [];
  const words = content.split(/[ \t]+/);
  for (let count = Math.min(LONGEST_DATE, words.length); count > 0; count -= 1) {
    const date = words.slice(0, count).join(" ");
    if (isDate(date)) return [date, ...words.slice(count)];
  }
  return / {2}/.test(content) ? content.split(/ {2,}/) : words;
}
