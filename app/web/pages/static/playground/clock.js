// Moments of this browser's clock, as people read them.

/** The time of day; with its date where that is not today. */
export function clockTime(moment) {
  const date = new Date(moment);
  const two = (number) => String(number).padStart(2, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return date.toDateString() === new Date().toDateString() ? time : `${day} ${time.slice(0, 5)}`;
}
