// The hours that a local clock shows twice in autumn and never in spring.

import { weekday } from "../civil.js";

const HOUR = 3600;
const MONTHS_OF_CHANGE = [3, 4, 9, 10, 11];
const LATEST_HOUR = 3;

/** Whether the clock may change at a moment: early on a Sunday in spring or autumn. */
export function mayChangeClock(seconds) {
  const date = new Date(seconds * 1000);
  return weekday(seconds) === 0 && date.getUTCHours() <= LATEST_HOUR
    && MONTHS_OF_CHANGE.includes(date.getUTCMonth() + 1);
}

/**
 * The moments from which the clock showed an hour twice.
 *
 * @param {{seconds: number, suffix: string}[][]} repeats points of the same moment
 * @returns {number[]} empty unless every repeat is of such an hour
 */
export function doubledHours(repeats) {
  const isLocal = repeats.every(([first, ...more]) =>
    first.suffix === "" && more.length === 1 && mayChangeClock(first.seconds));
  if (!isLocal) return [];
  return [...new Set(repeats.map(([{ seconds }]) => seconds - (((seconds % HOUR) + HOUR) % HOUR)))];
}

/** The holes of an hour that a local clock skipped. */
export function skippedHours({ holes, seconds: step }, points) {
  return holes.filter(
    (hole) =>
      hole.count * step === HOUR && points[hole.after].suffix === "" && mayChangeClock(hole.moment(0)),
  );
}
