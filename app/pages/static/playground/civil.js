// Civil time: what a calendar and a clock on the wall show, as seconds since 1970 without a zone.

export const DAY = 86_400;

/** Seconds of a date and time of day, or null when there is no such moment. */
export function civilSeconds(year, month, day, hour = 0, minute = 0, second = 0) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1 && year <= 9999;
  if (!exists || hour > 23 || minute > 59 || second > 59) return null;
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
}

/** `YYYY-MM-DDTHH:MM:SS`. */
export function formatCivil(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** As short as it can be without losing anything: a date alone at midnight. */
export function formatBriefly(seconds) {
  const text = formatCivil(seconds);
  return text.endsWith("T00:00:00") ? text.slice(0, 10) : text.replace("T", " ").replace(/:00$/, "");
}

export function lastDayOfMonth(year, month) {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** 0 is Sunday. */
export function weekday(seconds) {
  return new Date(seconds * 1000).getUTCDay();
}
