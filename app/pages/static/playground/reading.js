// Pasted text to a series, with everything worth telling about how it was read.

import { findDelimiter, parseRows } from "./csv.js";
import { possibleOrders, readDate } from "./dates.js";
import { looksLikeNumber, readNumbers } from "./numbers.js";
import { findSpacing } from "./spacing.js";

const SAMPLE_ROWS = 50;
const REMEDY = "Paste a date and a number in each line, such as 2024-01-31, 112.";

/**
 * @typedef {object} Point
 * @property {number|null} line of the text; null for a point that was filled in
 * @property {number} seconds civil time
 * @property {string} suffix nothing, Z or an offset
 * @property {number} value
 *
 * @typedef {object} Reading
 * @property {string|null} problem why the text is no series at all
 * @property {Point[]} points oldest first
 * @property {import("./spacing.js").Spacing|null} spacing
 * @property {{line: number, why: string}[]} unreadable rows that were left out
 * @property {number[][]} duplicates lines that have the same date
 * @property {"reversed"|"sorted"|null} reordered
 * @property {boolean} toUtc whether several offsets were brought to one
 * @property {boolean} decimalComma
 * @property {{chosen: "day"|"month", sure: boolean}|null} order of day and month
 * @property {{index: number, name: string}[]} columns that have numbers
 * @property {number} column the one that was read
 * @property {string} valueName header of the column of values, or ""
 * @property {number} decimals digits after the decimal mark that the values have
 * @property {string} unitBefore what stands before the values, such as "€", or ""
 * @property {string} unitAfter what stands behind them, such as "%", or ""
 * @property {string[]} given the dates as they are pasted, one for each of `points`
 * @property {(timestamp: string) => string} writeDate writes a timestamp of the service as the
 *   pasted dates are written; gives it back unchanged where that would lose something
 * @property {"linear"|"previous"|"zero"|null} fill how holes are filled; `points` has the filled ones
 */

/**
 * Read a series.
 *
 * @param {string} text
 * @param {import("./spacing.js").Unit[]} units
 * @param {{order?: "day"|"month"|null, column?: number|null}} choices where the text leaves a choice
 * @returns {Reading}
 */
export function readSeries(text, units, choices = {}) {
  const delimiter = findDelimiter(text);
  const rows = parseRows(text.replace(/^\ufeff/, ""), delimiter);
  const { dateColumn, columns, header } = findColumns(rows);
  if (dateColumn === null) return failed(`No column of dates was found. ${REMEDY}`);
  if (columns.length === 0) return failed(`No column of numbers was found beside the dates. ${REMEDY}`);
  const column = columns.find(({ index }) => index === choices.column) ?? columns[0];
  const body = header ? rows.slice(1) : rows;
  const order = chooseOrder(body.map((row) => row.cells[dateColumn] ?? ""), units, choices.order);
  const dates = body.map((row) => readDate(row.cells[dateColumn] ?? "", order?.chosen));
  const cells = body.map((row) => row.cells[column.index] ?? "");
  const { numbers, decimalComma } = readNumbers(cells, delimiter);
  const unreadable = [];
  const points = [];
  body.forEach(({ line, cells: all }, i) => {
    const why = defectOf(all[dateColumn] ?? "", dates[i], cells[i], numbers[i]);
    if (why) unreadable.push({ line, why });
    else points.push({ line, given: all[dateColumn], ...dates[i], value: numbers[i] });
  });
  const toUtc = bringToUtc(points);
  const reordered = putInOrder(points);
  return {
    problem: points.length === 0 ? `No row has both a date and a number. ${REMEDY}` : null,
    points,
    spacing: findSpacing(distinct(points), units),
    unreadable,
    duplicates: findDuplicates(points),
    reordered,
    toUtc,
    decimalComma,
    order,
    columns,
    column: column.index,
    valueName: header ? rows[0].cells[column.index] : "",
    decimals: Math.max(0, ...points.slice(0, SAMPLE_ROWS).map(({ value }) => decimalsOf(value))),
    unitBefore: "",
    unitAfter: "",
    given: points.map(({ given }) => given),
    writeDate: (timestamp) => timestamp,
    fill: null,
  };
}

function decimalsOf(value) {
  return String(value).split(".")[1]?.length ?? 0;
}

/** Put points on straight lines into the holes of a series; gives all points. */
export function fillHoles({ points, spacing }) {
  const moments = distinct(points);
  const holes = new Map(spacing.holes.map((hole) => [moments[hole.after], hole]));
  return points.flatMap((point, i) => {
    const next = points[i + 1];
    const hole = next?.seconds === point.seconds ? undefined : holes.get(point.seconds);
    return hole ? [point, ...straightLine(point, next, hole)] : [point];
  });
}

/** How many entries are missing from a series. */
export function countMissing({ spacing }) {
  return (spacing?.holes ?? []).reduce((sum, hole) => sum + hole.count, 0);
}

function straightLine(from, to, hole) {
  return Array.from({ length: hole.count }, (_, index) => {
    const share = (index + 1) / (hole.count + 1);
    const value = from.value + share * (to.value - from.value);
    return { line: null, seconds: hole.moment(index), suffix: from.suffix, value };
  });
}

function failed(problem) {
  return {
    problem, points: [], spacing: null, unreadable: [], duplicates: [], reordered: null,
    toUtc: false, decimalComma: false, order: null, columns: [], column: 0,
    valueName: "", decimals: 0, unitBefore: "", unitAfter: "", given: [],
    writeDate: (timestamp) => timestamp, fill: null,
  };
}

function findColumns(rows) {
  const width = Math.max(0, ...rows.slice(0, SAMPLE_ROWS).map((row) => row.cells.length));
  const indices = [...Array(width).keys()];
  // The first row may be a header: it does not count.
  const sample = rows.length > 1 ? rows.slice(1, SAMPLE_ROWS) : rows;
  const mostly = (index, fits) =>
    2 * sample.filter((row) => fits(row.cells[index] ?? "")).length > sample.length;
  const isDate = (cell) => possibleOrders([cell]).length > 0 || readDate(cell) !== null;
  const dateColumn = indices.find((index) => mostly(index, isDate)) ?? null;
  const header = rows.length > 0 && dateColumn !== null && !isDate(rows[0].cells[dateColumn] ?? "");
  const columns = indices
    .filter((index) => index !== dateColumn && mostly(index, looksLikeNumber))
    .map((index) => ({ index, name: (header && rows[0].cells[index]) || `Column ${index + 1}` }));
  return { dateColumn, columns, header };
}

function chooseOrder(cells, units, wanted) {
  const orders = possibleOrders(cells);
  if (orders.length === 0) return null;
  const sure = orders.length === 1;
  if (sure) return { chosen: orders[0], sure };
  const defects = (order) => {
    const moments = cells.map((cell) => readDate(cell, order)?.seconds).filter(Number.isFinite);
    const spacing = findSpacing([...new Set(moments)].sort((a, b) => a - b), units);
    return spacing ? spacing.holes.length + spacing.strays.length : Infinity;
  };
  const likelier = defects("day") < defects("month") ? "day" : "month";
  return { chosen: wanted ?? likelier, sure };
}

function defectOf(dateCell, date, numberCell, number) {
  if (dateCell === "") return "no date";
  if (date === null) return `“${shorten(dateCell)}” is no date`;
  if (numberCell === "") return "no value";
  if (number === null) return `“${shorten(numberCell)}” is no number`;
  return null;
}

function shorten(text) {
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}

/** Daylight saving changes offsets within a series; the service wants one offset. */
function bringToUtc(points) {
  const suffixes = new Set(points.map((point) => point.suffix));
  if (suffixes.size < 2 || suffixes.has("")) return false;
  for (const point of points) {
    point.seconds -= offsetSeconds(point.suffix);
    point.suffix = "Z";
  }
  return true;
}

function offsetSeconds(suffix) {
  if (suffix === "Z") return 0;
  const [hours, minutes] = suffix.slice(1).split(":").map(Number);
  return (suffix[0] === "-" ? -1 : 1) * (3600 * hours + 60 * minutes);
}

function putInOrder(points) {
  const isOrdered = (compare) =>
    points.every((point, i) => i === 0 || compare(points[i - 1].seconds, point.seconds));
  if (isOrdered((before, here) => before <= here)) return null;
  const reversed = isOrdered((before, here) => before >= here);
  points.sort((a, b) => a.seconds - b.seconds || a.line - b.line);
  return reversed ? "reversed" : "sorted";
}

function distinct(points) {
  return [...new Set(points.map((point) => point.seconds))];
}

function findDuplicates(points) {
  const lines = new Map();
  for (const { seconds, line } of points) {
    if (lines.has(seconds)) lines.get(seconds).push(line);
    else lines.set(seconds, [line]);
  }
  return [...lines.values()].filter((same) => same.length > 1);
}
