// Several series in one table: which column says what a row belongs to.

import { isHole, looksLikeNumber } from "./numbers.js";

/** The choice that adds all series up. */
export const ALL = "*";
const MOST_SERIES = 500;
const REPEATING = 0.8;
const UNIQUE = 0.98;

/**
 * @typedef {object} SeriesNames
 * @property {number[]} columns one, or two that name a series together
 * @property {string[]} names in the order in which they come
 */

/** What a row belongs to. */
export function nameIn(cells, columns) {
  return columns.map((index) => cells[index] ?? "").join(" · ");
}

/**
 * Find the columns of names that make the dates unique.
 *
 * @param {string[][]} rows cells of rows that have dates
 * @param {number[]} moments of these rows
 * @param {number[]} taken columns of dates
 * @returns {SeriesNames|null} null for one series
 */
export function findSeriesNames(rows, moments, taken) {
  const distinct = new Set(moments).size;
  if (rows.length === 0 || distinct > REPEATING * rows.length) return null;
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const free = [...Array(width).keys()].filter((index) => !taken.includes(index));
  if (free.length < 2) return null; // There have to be values beside the names.
  const single = free.map((index) => [index]);
  const pairs = free.flatMap((one) => free.filter((two) => two > one).map((two) => [one, two]));
  return best(rows, moments, single, distinct) ?? best(rows, moments, pairs, distinct);
}

function best(rows, moments, candidates, distinct) {
  const found = candidates.map((columns) => weigh(rows, moments, columns, distinct)).filter(Boolean);
  found.sort((a, b) => a.isNumber - b.isNumber || a.names.length - b.names.length);
  return found[0] ? { columns: found[0].columns, names: found[0].names } : null;
}

function weigh(rows, moments, columns, distinct) {
  const names = new Set();
  const pairs = new Set();
  let numbers = 0;
  for (let i = 0; i < rows.length; i += 1) {
    const name = nameIn(rows[i], columns);
    names.add(name);
    if (names.size > MOST_SERIES) return null;
    pairs.add(`${moments[i]} ${name}`);
    if (columns.some((index) => looksLikeNumber(rows[i][index] ?? "") || isHole(rows[i][index] ?? ""))) {
      numbers += 1;
    }
  }
  const isNumber = numbers > 0.5 * rows.length;
  const isUnique = pairs.size >= UNIQUE * rows.length;
  if (names.size < 2 || 2 * names.size > rows.length || !isUnique) return null;
  // Values repeat as well: numbers are names where each has a whole series.
  const isWhole = Math.abs(names.size * distinct - rows.length) <= 0.2 * rows.length;
  if (isNumber && !(isWhole && [...names].every((name) => /^[\w ·-]+$/.test(name)))) return null;
  return { columns, names: [...names], isNumber };
}
