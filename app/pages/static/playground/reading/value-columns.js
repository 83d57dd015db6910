// Which columns have values, how they are called, and which one is likely wanted.

import { isHole, looksLikeNumber } from "./numbers.js";

const SAMPLE = 200;
const WANTED_NAMES = [
  "y|values?|sales|revenue|demand|amount|quantity|qty|count|close|price|load|consumption|turnover",
  "wert|werte|umsatz|menge|betrag|anzahl|absatz|preis",
  "valeurs?|ventes?|montant|prix|valor|valores|ventas?|importe|precio",
];
const WANTED = new RegExp(`^(?:${WANTED_NAMES.join("|")})\\b`, "i");
const COUNTER = /^(?:unnamed.*|index|idx|id|no\.?|nr\.?|#|row)$/i;

/**
 * @typedef {object} Heading
 * @property {import("./csv.js").Row[]} body rows below the header
 * @property {string[]} names of the columns, "" where one has none
 *
 * @typedef {{index: number, name: string}} Column
 */

/**
 * Tell the header, of any number of rows, from the body.
 *
 * @param {import("./csv.js").Row[]} rows
 * @param {import("./date-columns.js").DateColumns} dates
 * @param {(cell: string) => boolean} isDate
 * @returns {Heading}
 */
export function splitHeader(rows, dates, isDate) {
  const isBody = ({ cells }) => {
    const date = dates.dateIn(cells);
    return isDate(date) || (/\d/.test(date) && valuesBeside(cells, dates).some(looksLikeNumber));
  };
  const start = Math.max(rows.findIndex(isBody), 0);
  // A title is one cell; two rows of names belong together, such as a name and its unit.
  const isTitle = ({ cells }) => cells.filter(Boolean).length < 2 && (start < 2 || cells[0]);
  const header = rows.slice(0, start).filter((row) => !isTitle(row));
  const width = rows.slice(0, SAMPLE).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const names = Array.from({ length: width }, (_, i) =>
    header.slice(-2).map(({ cells }) => cells[i] ?? "").filter(Boolean).join(" "),
  );
  return { body: rows.slice(start), names };
}

/**
 * The columns that have numbers.
 *
 * @param {Heading} heading
 * @param {number[]} taken columns of dates and of names of series
 * @returns {Column[]}
 */
export function findValueColumns({ body, names }, taken) {
  const stride = Math.ceil(body.length / SAMPLE);
  const sample = body.filter((_, i) => i % stride === 0).map(({ cells }) => cells);
  const hasNumbers = (index) => {
    const filled = sample.map((cells) => cells[index] ?? "").filter((cell) => !isHole(cell));
    return filled.length > 0 && 2 * filled.filter(looksLikeNumber).length > filled.length;
  };
  const found = names
    .map((name, index) => ({ index, name: name || `Column ${index + 1}` }))
    .filter(({ index }) => !taken.includes(index) && hasNumbers(index));
  const values = found.filter(({ index }) => !isCounter(names[index], sample, index));
  return values.length > 0 ? values : found;
}

/**
 * The column that is read where none is chosen.
 *
 * @param {Column[]} columns
 * @returns {{column: Column, why: "name"|"last"}}
 */
export function likelyColumn(columns) {
  const named = columns.find(({ name }) => WANTED.test(name));
  return { column: named ?? columns.at(-1), why: named ? "name" : "last" };
}

/** Whether a column numbers the rows. */
function isCounter(name, sample, index) {
  const isCalledSo = name === "" ? index === 0 && sample.length > 2 : COUNTER.test(name);
  const values = sample.map((cells) => Number(cells[index]));
  const step = values[1] - values[0];
  return isCalledSo && step > 0 && values.every((value, i) => i === 0 || value - values[i - 1] === step);
}

function valuesBeside(cells, { columns }) {
  return cells.filter((_, i) => !columns.includes(i));
}
