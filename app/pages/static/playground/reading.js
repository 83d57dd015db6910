// Pasted text to a series, with everything worth telling about how it was read.

import { weekday } from "./civil.js";
import { addUp, findRepeatsWithin } from "./reading/added-up.js";
import { doubledHours } from "./reading/clock-change.js";
import { findDates } from "./reading/date-columns.js";
import { dateWriter } from "./reading/date-writer.js";
import { readDates } from "./reading/dated-rows.js";
import { isDate, isYearless, readSerial } from "./reading/dates.js";
import { countMissing, fillHoles } from "./reading/fill.js";
import { REMEDY, explainColumns, explainNoDates, numbersAlone } from "./reading/no-series.js";
import { readNumbers } from "./reading/numbers.js";
import { readNumbersAlone } from "./reading/numbers-alone.js";
import { bringToUtc, combine, findRepeats, putInOrder } from "./reading/points.js";
import { defectOf } from "./reading/rows-left-out.js";
import { ALL, findSeriesNames, nameIn } from "./reading/series-names.js";
import { joinSplitNumbers } from "./reading/split-numbers.js";
import { readTable } from "./reading/table.js";
import { findValueColumns, likelyColumn, splitHeader } from "./reading/value-columns.js";
import { findSpacing } from "./spacing.js";

const NO_COMMON_DATE = "No date has a value in every series. Say below what counts where one has none.";
const MANY_REPEATS = 0.25;
const IS_DATE = { full: isDate, serial: readSerial, yearless: isYearless };

/**
 * @typedef {object} Point
 * @property {number|null} line of the text; null for a point that was filled in
 * @property {number} seconds civil time
 * @property {string} suffix nothing, Z or an offset
 * @property {number} value
 * @property {string} [series] that it belongs to, where several are added up
 *
 * @typedef {object} Choices what a person decides where the text leaves a choice; all may be missing
 * @property {import("./reading/dates.js").Order} order of day, month and year
 * @property {number} year of the first date
 * @property {number} thisYear
 * @property {"."|","} mark before decimals
 * @property {"one"|"columns"} split whether numbers that commas split are put together
 * @property {number} column of values
 * @property {string} series a name of one, or ALL
 * @property {"sum"|"mean"|"last"} repeats
 * @property {"out"|""} strays whether points off the step are left out
 * @property {"linear"|"previous"|"zero"|""} fill
 * @property {string} start date of the first of numbers without dates
 * @property {string} every frequency of numbers without dates
 * @property {number} maxPoints
 *
 * @typedef {object} Reading
 * @property {string|null} problem why no series can be read from the text
 * @property {Point[]} points oldest first, one a moment; with those that were filled in
 * @property {import("./spacing.js").Spacing|null} spacing of the points without those
 * @property {number[]} lines of the points without those
 * @property {number} missing entries, with those that only some of several series have
 * @property {string} fill how holes are filled: linear, previous, zero, or "" for not at all
 * @property {boolean} canFill whether the service takes as many points as there then are
 * @property {import("./reading/rows-left-out.js").Defect[]} unreadable rows that were left out
 * @property {{line: number, seconds: number}[]} empty rows that have a date and no value
 * @property {{lines: number[][], chosen: string, doubled: number[]}} repeats the same date again;
 *   `doubled` are hours that the clock showed twice
 * @property {{lines: number[], chosen: "out"|""}} strays points off the step, kept or left out
 * @property {"reversed"|"sorted"|null} reordered
 * @property {boolean} toUtc whether several offsets were brought to one
 * @property {number} dropped points that are too many
 * @property {{kind: string, columns: string[]}} dates how they were found
 * @property {{chosen: string, orders: string[], example: string}|null} order of day and month
 * @property {{chosen: number, offered: number[], example: string}|null} year
 * @property {string} delimiter of cells
 * @property {"."|","} mark before decimals
 * @property {{cell: string, line: number}|null} unclear a number that reads with either mark,
 *   where nothing decides
 * @property {{line: number, example: string, chosen: string}|null} split
 * @property {{names: string[], chosen: string, title: string}|null} series
 * @property {import("./reading/added-up.js").Lack[]} lacking dates that not all of the series have
 *   which were added up
 * @property {{index: number, name: string}[]} columns that have numbers
 * @property {number} column the one that was read
 * @property {"name"|"last"|"choice"} columnWhy
 * @property {{start: string, every: string}|null} alone for numbers without dates
 *
 * For those who show the answers:
 * @property {string} valueName header of the column of values, or ""
 * @property {number} decimals digits after the decimal mark that the values have
 * @property {string} unitBefore what stands before the values, such as "€", or ""
 * @property {string} unitAfter what stands behind them, such as "%", or ""
 * @property {string[]} given the dates as they are pasted, one for each of `points`
 * @property {(timestamp: string) => string} writeDate writes a timestamp of the service as the
 *   pasted dates are written; gives it back unchanged where that would lose something
 */

/** @type {Reading} */
const NOTHING = {
  problem: null, points: [], spacing: null, lines: [], missing: 0, fill: "", canFill: false,
  unreadable: [], empty: [], repeats: { lines: [], chosen: "last", doubled: [] },
  strays: { lines: [], chosen: "" }, reordered: null,
  toUtc: false, dropped: 0, dates: { kind: "full", columns: [] }, order: null, year: null, delimiter: ",", mark: ".",
  unclear: null, split: null, series: null, lacking: [], columns: [], column: 0,
  columnWhy: "last", alone: null,
  valueName: "", decimals: 0, unitBefore: "", unitAfter: "", given: [],
  writeDate: (timestamp) => timestamp,
};

/**
 * Read a series.
 *
 * @param {string} text
 * @param {import("./spacing.js").Unit[]} units
 * @param {Partial<Choices>} choices
 * @returns {Reading}
 */
export function readSeries(text, units, choices = {}) {
  const table = readTable(text);
  const { rows, split } = joinSplitNumbers(table, choices.split);
  const dates = findDates(rows);
  if (!dates) {
    const alone = numbersAlone(text);
    if (alone) return finish(readNumbersAlone(alone, units, choices), units, choices);
    return failed(explainNoDates(table, text));
  }
  const heading = splitHeader(rows, dates, (cell) => IS_DATE[dates.kind](cell));
  const { body, names } = heading;
  const given = body.map(({ cells }) => dates.dateIn(cells));
  const dated = readDates(given, dates.kind, units, { thisYear: new Date().getFullYear(), ...choices });
  const series = chooseSeries(body, dated.moments, dates, names, choices.series);
  const columns = findValueColumns(heading, [...dates.columns, ...(series?.columns ?? [])]);
  const problem = explainColumns(columns);
  if (problem) return failed(problem);
  const wanted = columns.find(({ index }) => index === Number(choices.column ?? -1));
  const { column, why } = wanted ? { column: wanted, why: "choice" } : likelyColumn(columns);
  const cells = body.map((row) => row.cells[column.index] ?? "");
  const { numbers, ...form } = readNumbers(cells, {
    likely: likelyMark(table.delimiter, given[0]),
    chosen: choices.mark,
  });
  const { points, unreadable, empty } = sortOut({ body, given, dated, cells, numbers, series });
  return finish({
    ...form, delimiter: table.delimiter, unclear: withLine(form.unclear, body), points, unreadable, empty, split, series, columns,
    column: column.index, columnWhy: why,
    valueName: names[column.index], order: dated.order, year: dated.year,
    dates: {
      kind: dates.kind,
      columns: dates.columns.map((index) => names[index] || `column ${index + 1}`),
    },
  }, units, choices);
}

/** Points as the service takes them: in order, one a moment, and not too many. */
function finish(found, units, choices) {
  const all = { ...NOTHING, ...found };
  if (all.problem) return all;
  if (all.points.length === 0) {
    return { ...all, problem: `No row has both a date and a number. ${REMEDY}` };
  }
  const toUtc = bringToUtc(all.points);
  const reordered = putInOrder(all.points);
  const isSum = all.series?.chosen === ALL;
  const groups = isSum ? findRepeatsWithin(all.points) : findRepeats(all.points);
  const repeats = {
    lines: groups.map((group) => group.map(({ line }) => line)),
    doubled: groups.length > 0 ? doubledHours(groups) : [],
  };
  repeats.chosen = choices.repeats ?? likelyOf(repeats, all.points);
  const joined = join(all, { repeats: repeats.chosen, isSum, toUtc }, units, choices);
  const { kept, spacing, fill } = joined;
  if (kept.length === 0) return { ...all, ...joined, repeats, points: [], problem: NO_COMMON_DATE };
  const points = fill && spacing ? fillHoles(kept, spacing, fill) : kept;
  const writeDate = toUtc ? (timestamp) => timestamp : dateWriter(kept, all.order?.chosen);
  return {
    ...all, ...joined, points, repeats, reordered, toUtc, writeDate,
    lines: kept.map(({ line }) => line),
    given: points.map((point) => point.given ?? writeDate(timestampOf(point))),
  };
}

/** Points one a moment and not too many, their step, and what is missing from them. */
function join(all, { repeats, isSum, toUtc }, units, choices) {
  const most = choices.maxPoints ?? Infinity;
  const make = (fill) => (isSum ? addUp : makeOne)(all.points, { repeats, most, fill });
  let { kept, lacking, dropped } = make("");
  const unread = all.unreadable.filter(({ seconds }) => seconds !== null);
  const valueless = [...all.empty, ...unread, ...lacking];
  const spacingOf = (some) => {
    const dated = withEmpty(some, valueless, toUtc);
    const moments = momentsOf(some);
    return findSpacing(moments, units, dated === some ? moments : momentsOf(dated));
  };
  let spacing = spacingOf(kept);
  const strays = strayPoints(kept, spacing, choices.strays);
  const withoutStrays = (some) => some.filter(({ line }) => !strays.lines.includes(line));
  if (strays.chosen === "out") {
    kept = withoutStrays(kept);
    spacing = spacingOf(kept);
  }
  const isWithin = ({ seconds }) => seconds > kept[0]?.seconds && seconds < kept.at(-1).seconds;
  const missing = countMissing(spacing) + lacking.filter((lack) => !isWithin(lack)).length;
  const canFill = missing > 0 && missing + kept.length <= most;
  const fill = canFill ? (choices.fill ?? "") : "";
  if (fill && lacking.length > 0) {
    kept = strays.chosen === "out" ? withoutStrays(make(fill).kept) : make(fill).kept;
    spacing = spacingOf(kept);
  }
  return { kept, spacing, strays, missing, canFill, fill, lacking, dropped };
}

/** Points of one series, one a moment. */
function makeOne(points, { repeats, most }) {
  const combined = combine(points, repeats);
  return { kept: combined.slice(-most), lacking: [], dropped: Math.max(combined.length - most, 0) };
}

/** Where many dates come again, rows are events of a day: sales, say. */
function likelyOf({ lines, doubled }, points) {
  if (doubled.length > 0) return "mean";
  return lines.length > MANY_REPEATS * momentsOf(points).length ? "sum" : "last";
}

/** Points off the step, which are kept or left out; an irregular series has no step. */
function strayPoints(points, spacing, wanted) {
  const isRegular = spacing !== null && !spacing.isIrregular;
  const lines = isRegular ? spacing.strays.map((entry) => points[entry].line) : [];
  return { lines, chosen: lines.length > 0 && wanted === "out" ? "out" : "" };
}

/**
 * Points and the rows between them that have a date and no value: they show the step as well.
 *
 * Weekends are an exception, where nothing has a value on them.
 */
function withEmpty(points, empty, toUtc) {
  const isWeekend = ({ seconds }) => weekday(seconds) % 6 === 0;
  if (empty.length === 0 || points.length === 0 || toUtc) return points;
  if (empty.every(isWeekend) && !points.some(isWeekend)) return points;
  const [first, last] = [points[0].seconds, points.at(-1).seconds];
  const within = empty.filter(({ seconds }) => seconds > first && seconds < last);
  return within.length > 0 ? [...points, ...within].sort((a, b) => a.seconds - b.seconds) : points;
}

function momentsOf(points) {
  return [...new Set(points.map(({ seconds }) => seconds))];
}

function withLine(unclear, body) {
  return unclear && { cell: unclear.cell, line: body[unclear.row].line };
}

function timestampOf({ seconds, suffix }) {
  return new Date(seconds * 1000).toISOString().slice(0, 19) + suffix;
}

function failed(problem) {
  return { ...NOTHING, problem };
}

/** Where commas separate cells, points are at home; beside semicolons and dates like 31.12.2024, commas. */
function likelyMark(delimiter, date) {
  return delimiter === ";" || (delimiter !== "," && /^\d{1,2}\.\d{1,2}\./.test(date ?? "")) ? "," : ".";
}

function chooseSeries(body, moments, dates, names, wanted) {
  const rows = body.map(({ cells }, i) => ({ cells, moment: moments[i] })).filter(({ moment }) => moment);
  const found = findSeriesNames(
    rows.map(({ cells }) => cells),
    rows.map(({ moment }) => moment.seconds),
    dates.columns,
  );
  if (!found) return null;
  const isKnown = wanted === ALL || found.names.includes(wanted);
  const title = found.columns.map((index) => names[index]).filter(Boolean).join(" and ");
  return { ...found, title, chosen: isKnown ? wanted : found.names[0] };
}

/** Rows to points, and to those that are left out. */
function sortOut({ body, given, dated, cells, numbers, series }) {
  const [points, unreadable, empty] = [[], [], []];
  const lastDated = dated.moments.findLastIndex(Boolean);
  body.forEach((row, i) => {
    const moment = dated.moments[i];
    const isOther = series && series.chosen !== ALL && nameIn(row.cells, series.columns) !== series.chosen;
    if (moment && isOther) return;
    const defect = defectOf({
      date: given[i], moment, isTooCoarse: dated.tooCoarse[i], cell: cells[i], number: numbers[i],
      row: row.cells, isBehind: i > lastDated,
    });
    if (defect === "no value") empty.push({ line: row.line, seconds: moment.seconds });
    else if (defect) {
      const hasDate = moment && !dated.tooCoarse[i];
      unreadable.push({ line: row.line, ...defect, seconds: hasDate ? moment.seconds : null });
    }
    else {
      const name = series && { series: nameIn(row.cells, series.columns) };
      points.push({ line: row.line, given: given[i], ...moment, value: numbers[i], ...name });
    }
  });
  return { points, unreadable, empty };
}
