// The step of a series, the frequency it belongs to, and what is missing from it.
//
// This explains a series before it is sent; the service's own check decides.

import { DAY, civilSeconds, lastDayOfMonth, weekday } from "./civil.js";

const MOSTLY = 0.8;
/** A series that breaks its step as often as this has none. */
const OFTEN = 0.3;
const MONDAY = 4 * DAY; // 1970-01-05

/**
 * @typedef {object} Unit a frequency of the service: whole seconds or whole months
 * @property {string} frequency
 * @property {number} seconds
 * @property {number} months
 * @property {string} noun
 *
 * @typedef {object} Spacing
 * @property {string} frequency of the service, the longest that fits
 * @property {string} step in words
 * @property {Hole[]} holes
 * @property {number[]} strays entries that are off the grid
 * @property {number} seconds of the step; 0 where it is counted in months or business days
 * @property {boolean} isIrregular whether entries that keep the step are the smaller part
 *
 * @typedef {object} Hole entries that are missing one after the other
 * @property {number} after the entry before them
 * @property {number} count
 * @property {(index: number) => number} moment of each
 */

/**
 * Find the regular step that most entries keep.
 *
 * @param {number[]} moments in seconds, increasing
 * @param {Unit[]} units shortest first
 * @param {number[]} dated the same and those that have no value, which keep the step as well
 * @returns {Spacing|null} null for fewer than two moments
 */
export function findSpacing(moments, units, dated = moments) {
  if (moments.length < 2) return null;
  const axis = monthAxis(dated) ?? businessDayAxis(dated) ?? secondAxis();
  const positions = moments.map((moment) => axis.position(moment));
  const marked = [...positions.keys()].filter((i) => positions[i] !== null);
  const places = dated === moments ? positions : dated.map((moment) => axis.position(moment));
  const step = mostCommonStep(places.filter((place) => place !== null));
  if (!step) return null;
  const unit = axis.unit(units, step);
  const phase = mostCommon(marked.map((i) => modulo(positions[i], step)));
  const onGrid = marked.filter((i) => modulo(positions[i], step) === phase);
  const onGridSet = new Set(onGrid);
  const holes = findHoles(onGrid, positions, step, axis);
  const strays = [...positions.keys()].filter((i) => !onGridSet.has(i));
  return {
    frequency: unit.frequency,
    step: describe(step / axis.size(unit), axis.noun ?? unit.noun),
    holes,
    strays,
    seconds: axis.seconds === false ? 0 : step,
    isIrregular: holes.length + strays.length > OFTEN * dated.length && dated === moments,
  };
}

function findHoles(onGrid, positions, step, axis) {
  const holes = [];
  for (let k = 1; k < onGrid.length; k += 1) {
    const after = onGrid[k - 1];
    const count = (positions[onGrid[k]] - positions[after]) / step - 1;
    const moment = (index) => axis.moment(positions[after] + (index + 1) * step);
    if (count > 0) holes.push({ after, count, moment });
  }
  return holes;
}

function secondAxis() {
  return {
    position: (moment) => moment,
    moment: (position) => position,
    size: (unit) => unit.seconds,
    unit: (units, step) => units.filter((unit) => unit.seconds && step % unit.seconds === 0).at(-1),
  };
}

/** Counts Mondays to Fridays; for daily series that have no weekend. */
function businessDayAxis(moments) {
  const step = mostCommonStep(moments);
  const hasWeekend = moments.some((moment) => weekday(moment) % 6 === 0);
  const isRegular = step === DAY && moments.at(-1) - moments[0] >= 7 * DAY;
  if (hasWeekend || !isRegular) return null;
  const time = modulo(moments[0], DAY);
  return {
    position: (moment) => {
      const days = Math.floor((moment - MONDAY) / DAY);
      return modulo(moment, DAY) === time ? 5 * Math.floor(days / 7) + modulo(days, 7) : null;
    },
    moment: (position) =>
      MONDAY + (7 * Math.floor(position / 5) + modulo(position, 5)) * DAY + time,
    size: () => 1,
    unit: (units) => units.find((unit) => unit.seconds === DAY),
    noun: "business day",
    seconds: false,
  };
}

/** Counts months; for series on one day of the month, or on its last days. */
function monthAxis(moments) {
  const dates = moments.map((moment) => new Date(moment * 1000));
  const time = mostCommon(moments.map((moment) => modulo(moment, DAY)));
  const anchor = mostFrequentAnchor(dates);
  const dayIn = (year, month) => Math.min(anchor, lastDayOfMonth(year, month));
  const position = (moment) => {
    const date = new Date(moment * 1000);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
    const isMarked = date.getUTCDate() === dayIn(year, month) && modulo(moment, DAY) === time;
    return isMarked ? 12 * year + month - 1 : null;
  };
  const marked = moments.map(position).filter((place) => place !== null);
  if (marked.length < 2 || marked.length < MOSTLY * moments.length) return null;
  return {
    position,
    moment: (place) => {
      const [year, month] = [Math.floor(place / 12), modulo(place, 12) + 1];
      return civilSeconds(year, month, dayIn(year, month)) + time;
    },
    size: (unit) => unit.months,
    unit: (units, step) => units.filter((unit) => unit.months && step % unit.months === 0).at(-1),
    seconds: false,
  };
}

/** The day of the month that a series keeps: 31 where it is always the last one. */
function mostFrequentAnchor(dates) {
  const isLast = (date) =>
    date.getUTCDate() === lastDayOfMonth(date.getUTCFullYear(), date.getUTCMonth() + 1);
  const lasts = dates.filter(isLast).length;
  if (lasts >= MOSTLY * dates.length) return 31;
  const days = dates.map((date) => date.getUTCDate());
  const common = mostCommon(days);
  // The 29th and 30th give way in February alone.
  return common >= 28 ? Math.max(...days) : common;
}

function mostCommonStep(positions) {
  const steps = positions.slice(1).map((position, i) => position - positions[i]);
  return mostCommon(steps.filter((step) => step > 0)) ?? 0;
}

function mostCommon(numbers) {
  const counts = new Map();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  let best;
  for (const [number, count] of counts) {
    const [bestNumber, bestCount] = best ?? [Infinity, 0];
    if (count > bestCount || (count === bestCount && number < bestNumber)) best = [number, count];
  }
  return best?.[0];
}

function modulo(number, divisor) {
  return ((number % divisor) + divisor) % divisor;
}

function describe(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
