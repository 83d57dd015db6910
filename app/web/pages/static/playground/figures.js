// Formats numbers as in the data: with its decimals and its unit.

import { percent } from "../words.js";

/** The minimum and maximum number of significant digits of a typical value. */
const MIN_DIGITS = 2;
const MAX_DIGITS = 6;
/** Decimals of money, which are shown in any case. */
const CENTS = 2;
/** A smaller error, as a fraction of a typical value, is a rounding error and written as 0. */
const NEGLIGIBLE = 1e-9;
/** Beyond these, numbers have an exponent. */
const MAX_PLAIN = 1e15;
const MIN_PLAIN = 1e-6;
/** The maximum of `Number.toFixed`. */
const MAX_FIXED_PLACES = 100;
const THIN_SPACE = "\u202f";

/**
 * @typedef {object} NumberWriters
 * @property {(value: number) => string} write a value of the series
 * @property {(error: number) => string} writeError how far something is off, which may be finer
 * @property {(value: number) => number} round a value to what a file needs of it
 * @property {(fraction: number, digits?: number) => string} percent a fraction in percent, with the decimal mark of the
 *     table and its space before %
 * @property {(text: string) => string} localize another number, such as 1,234.5, with the marks of the table
 *
 * @typedef {import("../charts/traces.js").NumberFormat & NumberWriters} Figures
 */

/**
 * How numbers about a series are written.
 *
 * @param {import("./reading.js").Reading} reading
 * @returns {Figures}
 */
export function figuresOf({ points, mark, grouping, decimals, unitBefore, unitAfter }) {
  const { scale, places, filePlaces, isExtreme } = findPrecision(points, decimals);
  // A point between thousands may be taken for a decimal point, unless the table has it.
  const group = grouping || (mark === "," ? THIN_SPACE : ",");
  const localize = (text) => text.replace(/[.,]/g, (sign) => (sign === "." ? mark : group));
  const write = (value, digits) => {
    const size = Math.abs(value);
    const isShort = isExtreme || size >= MAX_PLAIN;
    const text = localize(isShort ? size.toPrecision(MAX_DIGITS) : formatPlain(size, digits));
    return `${value < 0 && /[1-9]/.test(text) ? "-" : ""}${unitBefore}${text}${unitAfter}`;
  };
  const percentSpace = unitAfter === "%" ? "" : " ";
  return {
    localize,
    write: (value) => write(value, places),
    writeError: (error) => {
      if (error < scale * NEGLIGIBLE) return write(0, places);
      return write(error, Math.max(places, MIN_DIGITS - magnitude(error)));
    },
    round: (value) => (isExtreme ? value : Number(value.toFixed(filePlaces))),
    percent: (fraction, digits) => localize(percent(fraction, digits)).replace(" ", percentSpace),
    hover: isExtreme ? `.${MAX_DIGITS}~g` : `,.${places}f`,
    separators: mark + group,
    before: unitBefore,
    after: unitAfter,
  };
}

/**
 * How precisely the values of a series are written.
 *
 * @param {import("./reading.js").Point[]} points
 * @param {number} decimals of the table
 * @returns {{scale: number, places: number, filePlaces: number, isExtreme: boolean}} the size of a typical value; the
 *     decimals on the page and in a file; whether all numbers have an exponent
 */
function findPrecision(points, decimals) {
  const sizes = points.map(({ value }) => Math.abs(value));
  const typical = median(sizes);
  const wholeDigits = magnitude(typical);
  const maxPlaces = Math.max(CENTS, MAX_DIGITS - wholeDigits);
  return {
    // The median may be 0: then the largest value is the scale.
    scale: typical || sizes.reduce((greatest, size) => Math.max(greatest, size), 0),
    places: Math.max(0, Math.min(Math.max(decimals, MIN_DIGITS - wholeDigits), maxPlaces)),
    filePlaces: Math.min(Math.max(decimals, 1), maxPlaces, MAX_FIXED_PLACES),
    isExtreme: typical >= MAX_PLAIN || (typical > 0 && typical < MIN_PLAIN),
  };
}

function formatPlain(size, digits) {
  const decimals = Math.min(digits, 20);
  return size.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** The number of digits before the decimal point; negative below 0.1. */
function magnitude(value) {
  return value > 0 ? Math.floor(Math.log10(value)) + 1 : 1;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)] ?? 0;
}
