// Moments of this browser's clock, as people read them.

/** The time of day; with its date where that is not today. */
export function clockTime(moment) {
  const date = new Date(moment);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleString();
}
