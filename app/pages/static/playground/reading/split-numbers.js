// Numbers that were split in two because a comma (or a space) is both in them and between cells.

import { looksLikeNumber } from "./numbers.js";
import { isDate } from "./dates.js";

const HEAD = /^[-+(]*\p{Sc}?\d{1,3}$/u;
const THOUSANDS = /^\d{3}(?:\.\d+)?\)?$/;
const DIGITS = /^\d+\)?$/;
const MOST = 3;

/**
 * @typedef {object} Joined
 * @property {import("./csv.js").Row[]} rows
 * @property {{line: number, example: string, chosen: "one"|"columns"}|null} split what was found
 */

/**
 * Put numbers together again where rows have more cells than they should.
 *
 * @param {import("./table.js").Table} table
 * @param {"one"|"columns"|null} wanted
 * @returns {Joined}
 */
export function joinSplitNumbers({ rows, delimiter }, wanted) {
  const found = delimiter === "," || delimiter === " " ? findSplit(rows) : null;
  if (!found) return { rows, split: null };
  const { from, width, likely } = found;
  const chosen = wanted ?? likely;
  const first = rows.find((row) => lengthOf(row) > width);
  const split = { line: first.line, example: pieces(first, from, width).join(delimiter), chosen };
  if (chosen === "columns") return { rows, split };
  const joined = rows.map((row) => {
    const parts = pieces(row, from, width);
    if (parts.length < 2 || !parts.every((part) => /\d/.test(part))) return row;
    const cells = row.cells.toSpliced(from, parts.length, parts.join(delimiter));
    return { line: row.line, cells };
  });
  return { rows: joined, split };
}

function findSplit(rows) {
  const isHeader = (row) => !row.cells.some((cell) => looksLikeNumber(cell) || isDate(cell));
  const header = rows[0] && isHeader(rows[0]) ? rows[0] : null;
  const body = header ? rows.slice(1) : rows;
  const widths = body.map(lengthOf).filter((width) => width > 1);
  if (widths.length < 2) return null;
  const narrow = header ? lengthOf(header) : widths.reduce((a, b) => Math.min(a, b));
  const wide = body.filter((row) => lengthOf(row) > narrow);
  if (wide.length > 0 && narrow > 1) {
    const from = placeOf(wide, narrow);
    return from === null ? null : { from, width: narrow, likely: "one" };
  }
  return header ? null : findInEvenRows(body);
}

/** Rows without a header that are all of three cells: zeros in front betray a split number. */
function findInEvenRows(body) {
  if (!body.every((row) => lengthOf(row) === 3)) return null;
  const from = placeOf(body, 2);
  if (from === null || !body.every(({ cells }) => THOUSANDS.test(cells[2]))) return null;
  const betrays = body.some(({ cells }) => cells[2][0] === "0");
  return { from, width: 2, likely: betrays ? "one" : "columns" };
}

/** The column from which the cells of all `rows` make numbers when they are put together. */
function placeOf(rows, width) {
  const fits = (from, tail) =>
    rows.every((row) => {
      const [head, ...rest] = pieces(row, from, width);
      return HEAD.test(head) && rest.length <= MOST && rest.every((part) => tail.test(part));
    });
  const places = [...Array(width - 1).keys()].map((i) => i + 1);
  const ofThousands = places.find((from) => fits(from, THOUSANDS));
  const single = rows.every((row) => lengthOf(row) === width + 1);
  return ofThousands ?? (single ? places.find((from) => fits(from, DIGITS)) : null) ?? null;
}

function pieces(row, from, width) {
  return row.cells.slice(from, from + Math.max(lengthOf(row) - width, 0) + 1);
}

/** How many cells a row has, without empty ones at its end. */
function lengthOf({ cells }) {
  return cells.findLastIndex((cell) => cell !== "") + 1;
}
