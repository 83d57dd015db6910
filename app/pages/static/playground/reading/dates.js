// Cells to moments.

import { DAY as DAY_SECONDS, civilSeconds, weekday } from "../civil.js";
import { FORMS, SHORT_YEARS, UNCLEAR_FORMS, YEARLESS_FORMS } from "./date-forms.js";
import { monthOf, plain } from "./month-names.js";

/** Days from Excel's day 0 to 1970-01-01. */
const EXCEL_EPOCH = 25_569;
const EXCEL_SERIAL = /^\d{5}(?:[.,]\d+)?$/;
const LAST_SERIAL = 73_050; // 2099-12-31
const HALF_A_YEAR = 6;
const ORDERS = ["month", "day", "year"];

/**
 * @typedef {"month"|"day"|"year"} Order what comes first in 3/4/2024 and 01-02-24
 *
 * @typedef {object} Moment
 * @property {number} seconds civil time
 * @property {string} suffix nothing, Z or an offset
 * @property {import("./date-forms.js").DateForm|null} form that was read; null for a serial number
 * @property {number} coarseness 0 for a day and anything shorter, 1 month, 2 quarter, 3 year
 */

/** The groups of a cell and the form they are of, or null; `first` is tried before all others. */
function match(cell, forms, first) {
  const written = plain(cell);
  for (const form of first ? [first, ...forms] : forms) {
    const parts = form.pattern.exec(written)?.groups;
    if (parts && (!parts.name || monthOf(parts.name))) return { form, parts };
  }
  return null;
}

/**
 * Which orders of day, month and year are possible among `cells`, for those that can be read in
 * several.
 *
 * @param {string[]} cells
 * @returns {{orders: Order[], example: string}} no orders where all cells read the same either way
 */
export function possibleOrders(cells) {
  const possible = new Set(ORDERS);
  let example = "";
  for (const cell of cells) {
    const found = /^\D*\d{1,2}[/-]\d{1,2}\b/.test(cell) && match(cell, UNCLEAR_FORMS);
    if (!found) continue;
    const orders = [...possible].filter((order) => fromParts(found, order, 2000) !== null);
    if (orders.length === 0) continue; // No date at all: it decides nothing.
    if (!found.parts.three) possible.delete("year");
    example ||= cell;
    for (const order of possible) if (!orders.includes(order)) possible.delete(order);
  }
  return { orders: example ? [...possible] : [], example };
}

/**
 * A function that reads one date after the other.
 *
 * @param {Order} order
 * @returns {(cell: string) => Moment|null} null for what is not a date
 */
export function dateReader(order = "month") {
  let last = null;
  return (cell) => {
    const found = cell ? match(cell, FORMS, last) : null;
    if (!found) return null;
    last = found.form;
    return fromParts(found, order);
  };
}

/** Read one date. */
export function readDate(cell, order) {
  return dateReader(order)(cell);
}

/** Whether a cell is a date in any order. */
export function isDate(cell) {
  const found = cell ? match(cell, FORMS) : null;
  return found !== null && ORDERS.some((order) => fromParts(found, order) !== null);
}

/** Whether a cell is a date that no number looks like. */
export function isWrittenDate(cell) {
  return isDate(cell) && !match(cell, FORMS).form.digitsAlone;
}

/** Whether a cell is a day or a month without a year. */
export function isYearless(cell) {
  const found = match(cell, YEARLESS_FORMS);
  return found !== null && fromParts(found, "month", 2000) !== null;
}

/**
 * Read dates that have no year: it changes where December and January meet.
 *
 * @param {string[]} cells
 * @param {Order} order
 * @param {number} firstYear of the first cell
 * @returns {(Moment|null)[]}
 */
export function readYearless(cells, order, firstYear) {
  if (haveShortYears(cells)) {
    return cells.map((cell) => {
      const found = match(cell, SHORT_YEARS);
      return found && fromParts(found, order);
    });
  }
  let year = firstYear;
  let before = null;
  return cells.map((cell) => {
    const found = match(cell, YEARLESS_FORMS);
    if (!found || !fromParts(found, order, 2000)) return null;
    const month = dateOf(found.parts, order, year)[1];
    if (before !== null && month < before - HALF_A_YEAR) year += 1;
    if (before !== null && month > before + HALF_A_YEAR) year -= 1;
    before = month;
    return fromParts(found, order, year);
  });
}

/** Whether cells such as `Jan 24` are of years: the month then changes from row to row. */
export function haveShortYears(cells) {
  const pairs = cells.map((cell) => match(cell, SHORT_YEARS)?.parts).filter(Boolean);
  if (pairs.length < 2 || pairs.length < 0.8 * cells.length) return false;
  const changes = (key) => pairs.filter((pair, i) => i && pair[key] !== pairs[i - 1][key]).length;
  return changes("name") + changes("month") > changes("short");
}

/** Read what a spreadsheet leaves of a date whose form is lost: days since 1899-12-30. */
export function readSerial(cell) {
  if (!EXCEL_SERIAL.test(cell)) return null;
  const days = Number(cell.replace(",", "."));
  if (days >= LAST_SERIAL) return null;
  const seconds = Math.round((days - EXCEL_EPOCH) * DAY_SECONDS);
  return { seconds, suffix: "", form: null, coarseness: 0 };
}

/** The serial number of a moment. */
export function writeSerial(seconds) {
  return seconds / DAY_SECONDS + EXCEL_EPOCH;
}

function fromParts({ form, parts }, order, givenYear) {
  if (parts.epoch) return { seconds: Number(parts.epoch), suffix: "Z", form, coarseness: 0 };
  const [year, month, day] = dateOf(parts, order, givenYear);
  let hour = Number(parts.hour ?? 0);
  if (parts.half) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (parts.half.toLowerCase() === "p" ? 12 : 0);
  }
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  const isMidnight = hour === 24 && minute === 0 && second === 0;
  const start = parts.week
    ? dayOfWeek(year, Number(parts.week), Number(parts.nth ?? 1))
    : civilSeconds(year, month, day);
  const clock = isMidnight ? DAY_SECONDS : civilSeconds(1970, 1, 1, hour, minute, second);
  if (start === null || clock === null) return null;
  return { seconds: start + clock, suffix: suffixOf(parts.zone), form, coarseness: coarsenessOf(parts) };
}

function coarsenessOf(parts) {
  if (parts.day || parts.one || parts.week || parts.nth) return 0;
  if (parts.month || parts.name) return 1;
  return parts.quarter || parts.term ? 2 : 3;
}

function dateOf(parts, order, givenYear) {
  const year = parts.year ?? (parts.short && century(parts.short)) ?? givenYear;
  if (parts.one) return orderedDate(parts, order, year);
  if (parts.quarter) return [Number(year), 3 * Number(parts.quarter) - 2, 1];
  if (parts.term) return [Number(year), 6 * Number(parts.term) - 5, 1];
  const month = parts.name ? monthOf(parts.name) : Number(parts.month ?? 1);
  return [Number(year), month, Number(parts.day ?? 1)];
}

function orderedDate({ one, two, three }, order, givenYear) {
  if (order === "year" && three) return [Number(century(one)), Number(two), Number(three)];
  const year = Number(three ? century(three) : givenYear);
  return order === "day" ? [year, Number(two), Number(one)] : [year, Number(one), Number(two)];
}

function century(digits) {
  return (digits < "69" ? "20" : "19") + digits.padStart(2, "0");
}

function suffixOf(zone) {
  if (!zone) return "";
  if (!/\d/.test(zone)) return "Z";
  const digits = zone.replace(":", "").padEnd(5, "0");
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** A day of an ISO week; null where the year has no such week. */
function dayOfWeek(year, week, nth) {
  const monday = mondayOfWeek(year, week);
  if (week < 1 || nth > 7) return null;
  return monday >= mondayOfWeek(year + 1, 1) ? null : monday + (nth - 1) * DAY_SECONDS;
}

function mondayOfWeek(year, week) {
  const fourth = civilSeconds(year, 1, 4); // always in the first week of the year
  const sinceMonday = (weekday(fourth) + 6) % 7;
  return fourth + (7 * (week - 1) - sinceMonday) * DAY_SECONDS;
}
