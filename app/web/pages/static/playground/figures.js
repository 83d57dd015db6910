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
const GREAT = 1e15;
const SMALL = 1e-6;
const THIN_SPACE = "\u202f";

/**
 * @typedef {object} Figures
 * @property {(value: number) => string} write a value of the series
 * @property {(error: number) => string} writeError how far something is off, which may be finer
 * @property {(value: number) => number} round a value to what a file needs of it
 * @property {(fraction: number, digits?: number) => string} percent a fraction in percent, with the table's decimal mark and its space before %
 * @property {string} hover Plotly's format of a value, without its unit
 * @property {string} separators of decimals and of thousands, as Plotly takes them
 * @property {string} before unit in front of a value
 * @property {string} after unit behind it
 */

/**
 * How numbers about a series are written.
 *
 * @param {import("./reading.js").Reading} reading
 * @returns {Figures}
 */
export function figuresOf({ points, mark, grouping, decimals, unitBefore, unitAfter }) {
  const sizes = points.map(({ value }) => Math.abs(value));
  const typical = median(sizes);
  // The median may be 0: then the largest value is the scale.
  const scale = typical || sizes.reduce((greatest, size) => Math.max(greatest, size), 0);
  const whole = magnitude(typical);
  const places = Math.min(Math.max(decimals, MIN_DIGITS - whole), Math.max(CENTS, MAX_DIGITS - whole));
  const fine = Math.min(Math.max(decimals, 1), Math.max(CENTS, MAX_DIGITS - whole));
  // A point between thousands may be taken for a decimal point, unless the table has it.
  const group = grouping || (mark === "," ? THIN_SPACE : ",");
  const [before, after] = [unitBefore, unitAfter];
  const isExtreme = typical >= GREAT || (typical > 0 && typical < SMALL);
  const write = (value, digits) => {
    const size = Math.abs(value);
    const isShort = isExtreme || size >= GREAT;
    const text = isShort ? size.toPrecision(MAX_DIGITS).replace(".", mark) : plain(size, digits, mark, group);
    return `${value < 0 && /[1-9]/.test(text) ? "-" : ""}${before}${text}${after}`;
  };
  return {
    write: (value) => write(value, Math.max(0, places)),
    writeError: (error) => error < scale * NEGLIGIBLE ? write(0, Math.max(0, places)) : write(error, Math.max(0, places, MIN_DIGITS - magnitude(error))),
    round: (value) => (isExtreme ? value : Number(value.toFixed(Math.min(fine, 100)))),
    percent: (fraction, digits) => percent(fraction, digits).replace(".", mark).replace(" ", after === "%" ? "" : " "),
    hover: isExtreme ? `.${MAX_DIGITS}~g` : `,.${Math.max(0, places)}f`,
    separators: mark + group,
    before,
    after,
  };
}

function plain(size, digits, mark, group) {
  const decimals = Math.min(digits, 20);
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return size.toLocaleString("en", options).replace(/[.,]/g, (sign) => (sign === "." ? mark : group));
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
