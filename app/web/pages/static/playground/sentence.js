// The response in one sentence.

/**
 * What is forecast, in words: `Fast: next 24 months 507 in total; June 2026: 21, 95 % between 15 and 28.`
 *
 * The interval is of the last period alone. One of the total would need to know how the errors of
 * the periods go together, which the service does not say: adding up bounds would be too wide if
 * errors cancel, and nobody knows by how much.
 *
 * @param {{response: object, name: string}} forecast of POST /forecast, and its model
 * @param {import("./about.js").About} about
 * @param {number} confidence
 */
export function tellForecast({ response, name }, about, confidence) {
  const { median } = response;
  const last = median.length - 1;
  const { write } = about.figures;
  const [low, middle, high] = [response.lower_bound, median, response.upper_bound].map((column) =>
    write(column[last]),
  );
  const title = `${name}: next ${periods(median.length, about.step)}`;
  const end = `${middle}, ${percent(confidence)} between ${low} and ${high}.`;
  if (last === 0) return `${title} ${end}`;
  const total = median.reduce((sum, value) => sum + value, 0);
  const whole = about.addsUp
    ? `${write(total)} in total`
    : `${write(total / median.length)} on average`;
  return `${title} ${whole}; ${about.namePeriod(response.forecast_timestamps[last])}: ${end}`;
}

/** `24 months`, `month` for one, `8 periods of 5 minutes`. */
export function periods(count, step) {
  const [, number, noun] = /^(\d+) (.+)$/.exec(step) ?? [null, "1", "period"];
  if (number !== "1") return count === 1 ? step : `${count} periods of ${step}`;
  return count === 1 ? noun : `${count} ${noun}s`;
}

export function percent(share) {
  return `${Number((100 * share).toPrecision(3))} %`;
}
