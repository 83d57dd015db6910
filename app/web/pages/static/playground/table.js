// Tables of the page, and CSV files.

import { create } from "../dom.js";

const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Rows of cells, their names first, as a CSV text; with a byte order mark if Excel would take it for another encoding.
 *
 * @param {string[]} names
 * @param {any[][]} rows
 * @param {{delimiter: string, mark: "."|","}} form `mark` is the decimal mark
 */
export function toCsv(names, rows, { delimiter, mark }) {
  const write = (cell) => {
    const text = typeof cell === "number" ? String(cell).replace(".", mark) : escapeFormula(String(cell));
    return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return withByteOrderMark([names, ...rows].map((cells) => `${cells.map(write).join(delimiter)}\r\n`).join(""));
}

/** A CSV of the service with tabs, as for a pasted table, with the delimiter that programs open a .csv with. */
export function withoutTabs(text, delimiter) {
  const write = (part) => {
    if (part === "\t") return delimiter;
    return part.includes(delimiter) && !part.startsWith('"') ? `"${part}"` : part;
  };
  return withByteOrderMark(text.replace(/"[^"]*"|[^"\t\r\n]+|\t/g, write));
}

function withByteOrderMark(text) {
  return /^[\0-\x7f]*$/.test(text) ? text : `\ufeff${text}`;
}

/** A text that spreadsheets do not take for a formula. */
function escapeFormula(text) {
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * The form of a CSV that the spreadsheet reads from which the data came: semicolons where they had
 * any, or where commas stand before decimals.
 */
export function csvFormOf({ delimiter, mark }) {
  return { delimiter: delimiter === ";" || mark === "," ? ";" : ",", mark };
}

/**
 * @typedef {object} Table
 * @property {string} caption
 * @property {string} first name of the first column, whose cells head their rows
 * @property {{name: string, columns: string[]}[]} groups of the columns; without a name they stand
 *     in one row of heads
 * @property {string[][]} rows
 */

/** Fill `table`, which is then a thead and a tbody. */
export function fillTable(table, { caption, first, groups, rows }) {
  const head = create("thead");
  const top = head.insertRow();
  const named = groups.some(({ name }) => name);
  const columns = named ? head.insertRow() : top;
  top.append(create("th", { textContent: first, rowSpan: named ? 2 : 1, scope: "col" }));
  for (const { name, columns: names } of groups) {
    if (named) top.append(create("th", { textContent: name, colSpan: names.length, scope: "colgroup" }));
    columns.append(...names.map((column) => create("th", { textContent: column, scope: "col" })));
  }
  const body = create("tbody");
  for (const [title, ...cells] of rows) {
    const row = body.insertRow();
    row.append(create("th", { textContent: title, scope: "row" }));
    for (const cell of cells) row.insertCell().textContent = cell;
  }
  table.replaceChildren(create("caption", {}, caption), head, body);
}
