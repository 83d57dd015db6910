// The response in one sentence.

/**
 * What is forecast, in words: `Fast: next 24 months. July 2024: 18, 95 % between 15 and 22; June 2026: 21,
 * 95 % between 15 and 28.`
 *
 * There is no total: medians do not add up to the median of a sum, nor bounds to its bounds.
 *
 * @param {{response: object, name: string}} forecast of POST /forecast, and its model
 * @param {import("./about.js").About} about
 * @param {number} confidence
 */
export function tellForecast({ response, name }, about, confidence) {
  const { median, lower_bound, upper_bound, forecast_timestamps } = response;
  const tell = (index) => {
    const [low, middle, high] = [lower_bound, median, upper_bound].map((column) => about.figures.write(column[index]));
    return `${middle}, ${percent(confidence)} between ${low} and ${high}`;
  };
  const title = `${name}: next ${periods(median.length, about.step)}`;
  if (median.length === 1) return `${title} ${tell(0)}.`;
  const ends = [0, median.length - 1].map((index) => `${about.namePeriod(forecast_timestamps[index])}: ${tell(index)}`);
  return `${title}. ${ends.join("; ")}.`;
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
