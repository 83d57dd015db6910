// Civil time: the local date and time as seconds since 1970, without a time zone.

export const DAY = 86_400;

/** Seconds of a date and time of day. */
export function civilSeconds(year, month, day, hour = 0, minute = 0, second = 0) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
}

/** `YYYY-MM-DDTHH:MM:SS`. */
export function formatCivil(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** 0 is Sunday. */
export function weekday(seconds) {
  return new Date(seconds * 1000).getUTCDay();
}
